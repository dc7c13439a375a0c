"""From observations to a snapshot: pure, and the same in any order of arrival.

A state keeps for each field the rank of the fact that set it, so a newer fact is applied without reading the
older ones. Ranks compare as tuples `[correction, weight, observed_at, observation id]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Strategy = Literal["last_write", "highest_priority", "most_specific", "merge_array"]
FactKind = Literal["store", "correction", "deletion", "restoration"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One observation as the reducer sees it. `observed_at`: ISO 8601, UTC, microseconds, so text order is time."""

    id: int
    kind: FactKind
    fields: Mapping[str, Any]
    actor: str
    observed_at: str
    priority: int = 100
    specificity: int = 0


@dataclass(slots=True)
class State:
    """The reduced view. `provenance[field] = {observation, actor, rank}`, kept for cleared fields too."""

    values: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, dict[str, Any]] = field(default_factory=dict)
    deleted: bool = False
    life_rank: list[Any] | None = None
    count: int = 0
    last_observed: str = ""


def reduce(facts: Iterable[Fact], strategies: Mapping[str, Strategy]) -> State:
    """The state after all facts, whatever their order."""
    state = State()
    for fact in sorted(facts, key=lambda fact: (fact.observed_at, fact.id)):
        apply(state, fact, strategies)
    return state


def apply(state: State, fact: Fact, strategies: Mapping[str, Strategy]) -> None:
    """Add one fact in place. Exact for facts not older than `state.last_observed`; for older ones reduce anew."""
    state.count += 1
    state.last_observed = max(state.last_observed, fact.observed_at)
    if fact.kind in ("deletion", "restoration"):
        _apply_life(state, fact)
        return
    for name, value in fact.fields.items():
        if strategies.get(name) == "merge_array":
            _merge(state, fact, name, value)
        else:
            _replace(state, fact, name, value, strategies.get(name, "last_write"))


def is_newest(state: State, fact: Fact) -> bool:
    """Whether `apply` is exact for this fact."""
    return fact.observed_at >= state.last_observed


def _apply_life(state: State, fact: Fact) -> None:
    rank = [fact.observed_at, fact.id]
    if state.life_rank is None or rank > state.life_rank:
        state.life_rank, state.deleted = rank, fact.kind == "deletion"


def _rank(fact: Fact, strategy: Strategy) -> list[Any]:
    weight = {"highest_priority": fact.priority, "most_specific": fact.specificity}.get(strategy, 0)
    return [int(fact.kind == "correction"), weight, fact.observed_at, fact.id]


def _replace(state: State, fact: Fact, name: str, value: Any, strategy: Strategy) -> None:
    rank = _rank(fact, strategy)
    held = state.provenance.get(name)
    if held is not None and rank <= held["rank"]:
        return
    _set(state, fact, name, value, rank)


def _merge(state: State, fact: Fact, name: str, value: Any) -> None:
    rank = _rank(fact, "merge_array")
    held = state.provenance.get(name)
    if held is not None and rank[0] < held["rank"][0]:
        return
    # A correction says what the whole array is, unless it says what to add and remove.
    anew = value is None or (rank[0] and not isinstance(value, dict))
    current = [] if anew else list(state.values.get(name) or [])
    added, removed = _array_change(value)
    merged = [item for item in current if item not in removed]
    merged.extend(item for item in added if item not in merged)
    _set(state, fact, name, merged or None, rank)


def _array_change(value: Any) -> tuple[list[Any], list[Any]]:
    """`[a, b]` adds; `{"add": [...], "remove": [...]}` does both."""
    if value is None:
        return [], []
    if isinstance(value, dict):
        return list(value.get("add") or []), list(value.get("remove") or [])
    return (list(value), []) if isinstance(value, list) else ([value], [])


def _set(state: State, fact: Fact, name: str, value: Any, rank: list[Any]) -> None:
    if value is None:
        state.values.pop(name, None)
    else:
        state.values[name] = value
    state.provenance[name] = {"observation": fact.id, "actor": fact.actor, "rank": rank}

"""What the substrate must hold, worked out anew from a plain list of everything that was stated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from neotoma.substrate.models.relationships import relationship_id

ARRAY, WEIGHED = "tags", "best"
"""Fields that are merged, and of which the heaviest fact counts; of all others the newest does."""
Snapshot = dict[str, Any]
Pair = tuple[str, str]


@dataclass
class Statement:
    """A fact, in order of its key. `home`: the entity that it counts for before any merge."""

    key: int
    kind: str
    fields: dict[str, Any]
    weight: int
    home: str


@dataclass
class Plain:
    """`parent`: what was merged into what. `edges`: by the ends that they were stated with, whether they are stated."""

    ids: list[str] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    parent: dict[str, str] = field(default_factory=dict)
    edges: dict[Pair, bool] = field(default_factory=dict)

    def root(self, entity_id: str) -> str:
        while entity_id in self.parent:
            entity_id = self.parent[entity_id]
        return entity_id

    def roots(self) -> list[str]:
        return [entity_id for entity_id in self.ids if entity_id not in self.parent]

    def statements_of(self, entity_id: str) -> list[Statement]:
        """Those that count for an entity that is not merged away."""
        return [one for one in self.statements if self.root(one.home) == entity_id]

    def movable(self, entity_id: str) -> list[Statement]:
        return [one for one in self.statements_of(entity_id) if one.kind in ("store", "correction")]

    def deleted(self, entity_id: str) -> bool:
        life = [one.kind for one in self.statements_of(entity_id) if one.kind in ("deletion", "restoration")]
        return bool(life) and life[-1] == "deletion"

    def snapshot(self, entity_id: str) -> Snapshot:
        stated = self.statements_of(entity_id)
        names = {name for one in stated for name in one.fields}
        values = {name: _value(name, [one for one in stated if name in one.fields]) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    def pair(self, source: str, target: str) -> Pair:
        return self.root(source), self.root(target)

    def stated(self, pair: Pair) -> list[Pair]:
        """Edges that lead between these ends now, as they were stated, the one stated just so first."""
        found = [one for one in self.edges if self.pair(*one) == pair]
        return sorted(found, key=lambda one: (one != pair, relationship_id("REFERS_TO", *one)))

    def relate(self, source: str, target: str) -> None:
        pair = self.pair(source, target)
        held = self.stated(pair)
        if not any(self.edges[one] for one in held):
            self.edges[held[0] if held else pair] = True

    def unrelate(self, source: str, target: str) -> None:
        """An edge between two that became one is not there to be taken back; it returns when they are parted."""
        pair = self.pair(source, target)
        for one in self.stated(pair) if pair[0] != pair[1] else ():
            self.edges[one] = False

    def standing(self) -> set[Pair]:
        ends = {self.pair(*one) for one, stands in self.edges.items() if stands}
        return {pair for pair in ends if pair[0] != pair[1]}


def _value(name: str, stated: Iterable[Statement]) -> Any:
    """Corrections alone where there is any."""
    ordered = sorted(stated, key=lambda one: one.key)
    if name == ARRAY:
        return _array(name, ordered)
    corrections = [one for one in ordered if one.kind == "correction"]
    if not corrections and name == WEIGHED:
        return max(ordered, key=lambda one: (one.weight, one.key)).fields[name]
    return (corrections or ordered)[-1].fields[name]


def _array(name: str, ordered: list[Statement]) -> list[Any] | None:
    items: list[Any] = []
    corrected = False
    for one in ordered:
        said = one.fields[name]
        if corrected and one.kind != "correction":
            continue
        corrected = one.kind == "correction"
        change = said if isinstance(said, dict) else {"add": said or []}
        if said is None or (corrected and not isinstance(said, dict)):
            items = []
        items = [item for item in items if item not in change.get("remove", [])]
        items += [item for item in dict.fromkeys(change.get("add", [])) if item not in items]
    return items or None

"""Between rows and the pure reducer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from neotoma.substrate.grouping import Grouping
from neotoma.substrate.models import Entity, Observation
from neotoma.substrate.reducer import Fact, State, reduce
from neotoma.substrate.schema import EntityType


def iso(moment: datetime) -> str:
    """UTC with six decimals, so that text order is time order."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def fact_of(row: Observation) -> Fact:
    return Fact(
        id=row.pk,
        kind=row.kind,  # type: ignore[arg-type]  # the column holds only FactKind words
        fields=row.fields,
        actor=row.actor_key,
        observed_at=iso(row.observed_at),
        priority=row.priority,
        specificity=row.specificity,
    )


def state_of(entity: Entity) -> State:
    """The state that an entity row holds; applying a newer fact to it is exact."""
    return State(
        values={**entity.raw_fragments, **entity.snapshot},
        provenance=dict(entity.provenance),
        deleted=entity.deleted_at is not None,
        life_rank=entity.life_rank,
        count=entity.observation_count,
        last_observed=iso(entity.last_observed_at) if entity.last_observed_at else "",
    )


def replay(
    grouping: Grouping,
    entity_type: EntityType,
    *,
    observed: datetime | None = None,
    ingested: datetime | None = None,
) -> State:
    """The state from all observations that count, or from those observed, or stored here, up to a time."""
    rows = grouping.observations()
    if observed is not None:
        rows = rows.filter(observed_at__lte=observed)
    if ingested is not None:
        rows = rows.filter(created_at__lte=ingested)
    return reduce([fact_of(row) for row in rows], entity_type.reducers)


def settle(entity: Entity, state: State, entity_type: EntityType, now: datetime) -> None:
    """Write a state into the entity row's columns (not yet saved)."""
    known: dict[str, Any] = {}
    aside: dict[str, Any] = {}
    for name, value in state.values.items():
        (known if entity_type.holds(name, value) else aside)[name] = value
    entity.snapshot, entity.raw_fragments, entity.provenance = known, aside, state.provenance
    entity.observation_count, entity.life_rank = state.count, state.life_rank
    entity.last_observed_at = datetime.fromisoformat(state.last_observed) if state.last_observed else None
    entity.deleted_at = (entity.deleted_at or now) if state.deleted else None
    entity.updated_at = now

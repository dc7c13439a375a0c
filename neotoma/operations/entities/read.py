"""Read one entity: now, as observed up to a time, or as the system knew it at a time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.shapes import EntityId
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import ReadParams, Shape
from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.grouping import Grouping, grouping_at, grouping_of
from neotoma.substrate.identity import display_name
from neotoma.substrate.models import Entity
from neotoma.substrate.reading import replay, state_of
from neotoma.substrate.reducer import State
from neotoma.substrate.schema import EntityType, type_of
from neotoma.substrate.times import instant


class SnapshotParams(ReadParams):
    entity_id: str = EntityId
    at: datetime | None = Field(
        None,
        description="Only facts observed up to this time, ISO 8601 with zone.",
        examples=["2026-01-31T12:00:00Z"],
    )
    at_ingested: datetime | None = Field(
        None, description="As it was known here at this time: only what had been stored, merged and split by then."
    )


class Origin(Shape):
    observation_id: str = Field(description="The observation that set the value.")
    actor: str = Field(description="Who stated it.")
    observed_at: str | None = Field(None, description="When it was observed, UTC (detailed).")
    correction: bool | None = Field(None, description="True when a correction set it (detailed).")


class Snapshot(Shape):
    entity_id: str = Field(description="Id of the entity; another one than asked for when it was merged.")
    entity_type: str = Field(description="Its type.")
    name: str = Field("", description="A short human name.")
    snapshot: dict[str, Any] = Field(description="Declared fields.")
    raw_fragments: dict[str, Any] = Field(default_factory=dict, description="Fields that the type does not declare.")
    provenance: dict[str, Origin] = Field(description="By field, also where it was cleared: who set it, and when.")
    observation_count: int = Field(description="How many facts there are.")
    last_observed_at: str | None = Field(None, description="When the newest of them was observed, UTC.")
    deleted: bool = Field(False, description="True when it is deleted and can be restored.")


@operation(
    "retrieve_entity_snapshot",
    title="Read an entity",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entities/{entity_id}"),
    toolset="core",
)
def retrieve_entity_snapshot(context: Context, params: SnapshotParams) -> Snapshot:
    """Read one entity, and who said what: as it is now, as its facts stood at a time (`at`), or as it was known here
    at a time (`at_ingested`). Together they say what was known then of what had happened by then.
    """
    observed, ingested = _past(context, params.at, "at"), _past(context, params.at_ingested, "at_ingested")
    if ingested is None:
        entity = targets.readable(context, params.entity_id)
        state = state_of(entity) if observed is None else _state(entity, grouping_of(entity), observed, None)
    else:
        asked = targets.visible(context, params.entity_id)
        root, grouping = grouping_at(asked, ingested)
        entity = asked if root == asked.pk else targets.visible(context, root)
        state = _state(entity, grouping, observed, ingested)
    return _snapshot(entity, type_of(entity.entity_type), state, detailed=params.response_format == "detailed")


def _past(context: Context, moment: datetime | None, path: str) -> datetime | None:
    if moment is None:
        return None
    moment = instant(moment, path)
    if moment > context.now:
        raise InvalidInput.at(path, "lies in the future", hint="Leave it out to read how things are now.")
    return moment


def _state(entity: Entity, grouping: Grouping, observed: datetime | None, ingested: datetime | None) -> State:
    return replay(grouping, type_of(entity.entity_type), observed=observed, ingested=ingested)


def _snapshot(entity: Entity, kind: EntityType, state: State, *, detailed: bool) -> Snapshot:
    snapshot = kind.shown(state.values)
    return Snapshot(
        entity_id=entity.pk,
        entity_type=entity.entity_type,
        name=display_name(snapshot),
        snapshot=snapshot,
        raw_fragments=kind.aside(state.values),
        provenance={
            name: _origin(entry, detailed=detailed)
            for name, entry in state.provenance.items()
            if name not in kind.hidden
        },
        observation_count=state.count,
        last_observed_at=state.last_observed or None,
        deleted=state.deleted,
    )


def _origin(entry: dict[str, Any], *, detailed: bool) -> Origin:
    corrected, _, observed_at, _ = entry["rank"]
    return Origin(
        observation_id=f"obs_{entry['observation']}",
        actor=entry["actor"],
        observed_at=observed_at if detailed else None,
        correction=bool(corrected) if detailed else None,
    )

"""Read one entity, now or as of a time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.shapes import EntityId
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import ReadParams, Shape
from neotoma.substrate.reading import replay
from neotoma.substrate.schema import type_of
from neotoma.substrate.times import instant


class SnapshotParams(ReadParams):
    entity_id: str = EntityId
    at: datetime | None = Field(
        None, description="The snapshot from facts observed up to this time, ISO 8601 with zone."
    )


class Snapshot(Shape):
    entity_id: str = Field(description="Id of the entity; another one than asked for when it was merged.")
    entity_type: str = Field(description="Its type.")
    snapshot: dict[str, Any] = Field(description="Declared fields.")
    raw_fragments: dict[str, Any] = Field(default_factory=dict, description="Fields that the type does not declare.")
    provenance: dict[str, Any] | None = Field(
        None, description="By field: the observation and the actor that set it (detailed)."
    )
    observation_count: int = Field(description="How many facts there are.")
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
    """Read one entity as it is now, or as its facts stood at a time (`at`); `detailed` adds who said what."""
    entity = targets.readable(context, params.entity_id)
    kind = type_of(entity.entity_type)
    values, provenance = {**entity.raw_fragments, **entity.snapshot}, entity.provenance
    count, deleted = entity.observation_count, entity.deleted_at is not None
    if params.at is not None:
        state = replay(entity.pk, kind, instant(params.at, "at"))
        values, provenance, count, deleted = state.values, state.provenance, state.count, state.deleted
    return Snapshot(
        entity_id=entity.pk,
        entity_type=entity.entity_type,
        snapshot=kind.shown(values),
        raw_fragments={name: value for name, value in values.items() if not kind.declares(name)},
        provenance=_provenance(provenance, kind.hidden) if params.response_format == "detailed" else None,
        observation_count=count,
        deleted=deleted,
    )


def _provenance(held: dict[str, Any], hidden: frozenset[str]) -> dict[str, Any]:
    return {
        name: {
            "observation_id": f"obs_{entry['observation']}",
            "actor": entry["actor"],
            "observed_at": entry["rank"][2],
            "correction": bool(entry["rank"][0]),
        }
        for name, entry in held.items()
        if name not in hidden
    }

"""What was stated about an entity, and where the value of one field comes from."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.shapes import EntityId
from neotoma.operations.entities.views import Budget
from neotoma.operations.registry import Route, operation
from neotoma.operations.room import Room
from neotoma.operations.shapes import Page, PageParams, Shape
from neotoma.substrate import history
from neotoma.substrate.errors import NotFound
from neotoma.substrate.history import Stated, Stretch
from neotoma.substrate.models import Entity
from neotoma.substrate.reading import iso
from neotoma.substrate.schema import type_of

FieldName = Field(min_length=1, max_length=200, description="Name of the field.", examples=["due_date"])


class Author(Shape):
    id: str = Field(description="Key of the actor.")
    kind: str = Field(description="reporter, agent, maintainer, daemon, mirror or system.")
    name: str = Field("", description="Its name.")


class ObservationView(Shape):
    observation_id: str = Field(description="Id of the observation.")
    kind: Literal["store", "correction", "deletion", "restoration"] = Field(description="What it does.")
    fields: dict[str, Any] = Field(description="What it states; null clears.")
    actor: Author = Field(description="Who stated it.")
    observed_at: str = Field(description="When it held, UTC.")
    ingested_at: str = Field(description="When it was stored here, UTC.")
    source_priority: int = Field(description="Its weight.")
    observation_source: str = Field("", description="Where the fact comes from.")
    source_id: str | None = Field(None, description="The raw material behind it.")
    stated_of: str | None = Field(None, description="The entity that it was stated of, merged into this one or split.")


class ListObservationsParams(PageParams):
    entity_id: str = EntityId
    field: str | None = Field(
        None, min_length=1, max_length=200, description="Only what speaks of this field, and of it alone."
    )
    order: history.Order = Field("newest", description="Which come first, in the order in which they were stored.")
    budget: int = Budget


class ObservationList(Page):
    entity_id: str = Field(description="Id of the entity; another one than asked for when it was merged.")
    observations: list[ObservationView] = Field(description="This page.")


class ProvenanceParams(PageParams):
    entity_id: str = EntityId
    field: str = FieldName


class FieldProvenance(Page):
    entity_id: str = Field(description="Id of the entity; another one than asked for when it was merged.")
    entity_type: str = Field(description="Its type.")
    field: str = Field(description="The field.")
    value: Any = Field(None, description="What it is now; absent when it was cleared.")
    observation: ObservationView = Field(description="The one that the value comes from, or that cleared it.")
    history: list[ObservationView] = Field(description="All that was stated of the field, newest first.")


@operation(
    "list_observations",
    title="List observations",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entities/{entity_id}/observations"),
    toolset="substrate",
)
def list_observations(context: Context, params: ListObservationsParams) -> ObservationList:
    """List the facts behind an entity, page by page: who stated what, when, and how heavily it weighs."""
    entity = targets.readable(context, params.entity_id)
    found = history.stretch(entity, field=params.field, order=params.order, limit=params.limit, cursor=params.cursor)
    shown, next_cursor = _fitting(entity, found, Room(params.budget))
    return ObservationList(
        entity_id=entity.pk,
        observations=shown,
        next_cursor=next_cursor,
        total=found.total,
        total_capped=found.total_capped,
    )


@operation(
    "retrieve_field_provenance",
    title="Trace a field",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entities/{entity_id}/provenance"),
    toolset="substrate",
)
def retrieve_field_provenance(context: Context, params: ProvenanceParams) -> FieldProvenance:
    """Say where the value of one field comes from: the observation that counts, and all that was ever stated of it."""
    entity = targets.readable(context, params.entity_id)
    kind, entry = type_of(entity.entity_type), entity.provenance.get(params.field)
    counts = history.observation(entity, entry["observation"], params.field) if entry else None
    if counts is None or params.field in kind.hidden:
        raise NotFound(
            f"Nothing was ever stated of {params.field}.",
            hint=f"Known: {', '.join(sorted(entity.provenance.keys() - kind.hidden)[:50])}.",
            details={"entity_id": entity.pk, "field": params.field},
        )
    found = history.stretch(entity, field=params.field, order="newest", limit=params.limit, cursor=params.cursor)
    room = Room()
    room.take(observation := view(counts, entity))
    shown, next_cursor = _fitting(entity, found, room)
    return FieldProvenance(
        entity_id=entity.pk,
        entity_type=entity.entity_type,
        field=params.field,
        value={**entity.raw_fragments, **entity.snapshot}.get(params.field),
        observation=observation,
        history=shown,
        next_cursor=next_cursor,
        total=found.total,
        total_capped=found.total_capped,
    )


def view(stated: Stated, entity: Entity) -> ObservationView:
    return ObservationView(
        observation_id=stated.public_id,
        kind=stated.kind,  # type: ignore[arg-type]  # the column holds only these words
        fields=dict(stated.fields),
        actor=Author(id=stated.actor_key, kind=stated.actor_kind, name=stated.actor_name),
        observed_at=iso(stated.observed_at),
        ingested_at=iso(stated.ingested_at),
        source_priority=stated.priority,
        observation_source=stated.observation_source,
        source_id=stated.source_id,
        stated_of=stated.stated_of if stated.stated_of != entity.pk else None,
    )


def _fitting(entity: Entity, found: Stretch, room: Room) -> tuple[list[ObservationView], str | None]:
    """As many as fit, the first in any case, and the cursor of what follows."""
    shown: list[ObservationView] = []
    for stated in found.stated:
        one = view(stated, entity)
        if not room.takes(one) and shown:
            break
        shown.append(one)
    more = found.more or len(shown) < len(found.stated)
    return shown, found.stated[len(shown) - 1].cursor if more else None

"""Read what changed lately."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.entities.timeline import By
from neotoma.operations.events import refuse_unknown_events
from neotoma.operations.registry import Route, operation
from neotoma.operations.room import Room
from neotoma.operations.shapes import Page, PageParams, Shape
from neotoma.substrate.actors import Audience
from neotoma.substrate.cursors import capped_total, decode_cursor, encode_cursor
from neotoma.substrate.filters import EventFilter
from neotoma.substrate.models import Entity, Event
from neotoma.substrate.reading import iso
from neotoma.substrate.times import instant


class RecentChangesParams(PageParams):
    entity_types: list[str] = Field(
        default_factory=list, max_length=20, description="Only of these types.", examples=[["task"]]
    )
    event_types: list[str] = Field(
        default_factory=list,
        max_length=10,
        description="Only these, e.g. entity.deleted.",
        examples=[["entity.created"]],
    )
    since: datetime | None = Field(None, description="Only at or after this time, ISO 8601 with zone.")


class Change(Shape):
    seq: int = Field(description="Place in the log; list_events goes on after it.")
    at: str = Field(description="When, UTC.")
    event_type: str = Field(description="What happened.")
    entity_id: str = Field(description="To which entity.")
    entity_type: str = Field(description="Its type.")
    name: str = Field("", description="What it is called now.")
    target_entity_id: str | None = Field(None, description="The other end of an edge or a merge, if you see it.")
    actor: By = Field(description="Who did it.")
    fields: list[str] = Field(default_factory=list, description="Fields that changed.")
    values: dict[str, Any] | None = Field(
        None, description="Old and new value of each (detailed, as far as there is room)."
    )


class ChangeList(Page):
    changes: list[Change] = Field(description="Newest first.")


@operation(
    "list_recent_changes",
    title="List recent changes",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "changes"),
    toolset="substrate",
)
def list_recent_changes(context: Context, params: RecentChangesParams) -> ChangeList:
    """List what changed lately in all that you may see, newest first: which entity, which fields, by whom.

    Good for catching up at the start of a session. Goes back as far as the event log is kept; the whole history of one
    entity is in retrieve_timeline. To follow what happens from now on, use list_events or subscribe.
    """
    refuse_unknown_events(params.event_types)
    wanted = EventFilter.of(entity_types=params.entity_types, event_types=params.event_types)
    rows = Event.objects.visible_to(context.audience).filter(wanted.q())
    if params.since:
        rows = rows.since(instant(params.since, "since"))
    total, capped = capped_total(rows)
    if params.cursor:
        rows = rows.filter(seq__lt=decode_cursor(params.cursor, int)[0])
    found = list(rows.order_by("-seq")[: params.limit + 1])
    changes = _fitting(found[: params.limit], context.audience, detailed=params.response_format == "detailed")
    return ChangeList(
        changes=changes,
        next_cursor=encode_cursor(changes[-1].seq) if len(changes) < len(found) else None,
        total=total,
        total_capped=capped,
    )


def _fitting(events: list[Event], audience: Audience, *, detailed: bool) -> list[Change]:
    """As many as there is room for, one at least; values only where they have room too."""
    ids = {end for event in events for end in (event.entity_id, event.target_id)}
    seen = dict(Entity.objects.visible_to(audience).filter(pk__in=ids).values_list("pk", "name"))
    room, changes = Room(), list[Change]()
    for event in events:
        change = _change(event, seen)
        if not room.takes(change) and changes:
            break
        whole = change.model_copy(update={"values": event.fields_changed})
        told = detailed and bool(event.fields_changed) and room.takes(whole, instead_of=change)
        changes.append(whole if told else change)
    return changes


def _change(event: Event, seen: Mapping[str, str]) -> Change:
    """`seen`: the names of entities that the reader may see, by id."""
    return Change(
        seq=event.seq,
        at=iso(event.created_at),
        event_type=event.event_type,
        entity_id=event.entity_id,
        entity_type=event.entity_type,
        name=seen.get(event.entity_id, ""),
        target_entity_id=event.target_id if event.target_id in seen else None,
        actor=By(id=event.actor_key, kind=event.actor_kind, name=event.actor_name or None),
        fields=sorted(event.fields_changed),
    )

"""Read what happened to one entity."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.shapes import EntityId
from neotoma.operations.registry import Route, operation
from neotoma.operations.room import Room
from neotoma.operations.shapes import Page, PageParams, Shape
from neotoma.substrate import timeline
from neotoma.substrate.cursors import TOTAL_CAP, decode_cursor, encode_cursor
from neotoma.substrate.models import Entity
from neotoma.substrate.reading import iso
from neotoma.substrate.schema import type_of
from neotoma.substrate.times import instant


class TimelineParams(PageParams):
    entity_id: str = EntityId
    event_types: list[timeline.What] = Field(
        default_factory=list, max_length=9, description="Only these kinds; all by default.", examples=[["correction"]]
    )
    since: datetime | None = Field(None, description="Stored at or after this time, ISO 8601 with zone.")
    until: datetime | None = Field(None, description="Stored before this time, ISO 8601 with zone.")
    sort_order: timeline.Order = Field("asc", description="asc begins with the oldest.")


class By(Shape):
    id: str = Field(description="Stable key of who did it.")
    kind: str | None = Field(None, description="What they are.")
    name: str | None = Field(None, description="What they are called.")


class TimelineEntry(Shape):
    at: str = Field(description="When it was stored, UTC.")
    event_type: timeline.What = Field(description="What happened.")
    actor: By = Field(description="Who did it.")
    observed_at: str | None = Field(None, description="When a fact was observed, UTC.")
    observation_id: str | None = Field(None, description="The fact.")
    fields: list[str] = Field(default_factory=list, description="The fields that the fact speaks of.")
    values: dict[str, Any] | None = Field(None, description="What it says (detailed, as far as there is room).")
    relationship_id: str | None = Field(None, description="The edge.")
    relationship_type: str | None = Field(None, description="Its type.")
    source_entity_id: str | None = Field(None, description="Where it leaves.")
    target_entity_id: str | None = Field(None, description="Where it reaches.")
    entity_ids: list[str] = Field(default_factory=list, description="Entities that were merged or split.")


class Timeline(Page):
    entity_id: str = Field(description="Id of the entity; another one than asked for when it was merged.")
    entity_type: str = Field(description="Its type.")
    events: list[TimelineEntry] = Field(description="In the order in which they were stored.")


@operation(
    "retrieve_timeline",
    title="Read a timeline",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entities/{entity_id}/timeline"),
    toolset="substrate",
)
def retrieve_timeline(context: Context, params: TimelineParams) -> Timeline:
    """Read what happened to one entity: facts, corrections, edges, deletion, merges, each with who did it.

    Oldest first unless you say otherwise, page by page; nothing is ever dropped from it. For many entities at once use
    list_recent_changes.
    """
    entity = targets.readable(context, params.entity_id)
    question = timeline.Question(
        entity,
        context.audience,
        params.event_types,
        instant(params.since, "since") if params.since else None,
        instant(params.until, "until") if params.until else None,
        params.sort_order,
    )
    after = decode_cursor(params.cursor, *[int] * len(timeline.start())) if params.cursor else timeline.start()
    found = timeline.moments(question, after, params.limit)
    shown, entries = _fitting(found[: params.limit], entity, detailed=params.response_format == "detailed")
    total = timeline.count(question)
    return Timeline(
        entity_id=entity.pk,
        entity_type=entity.entity_type,
        events=entries,
        next_cursor=encode_cursor(*timeline.position(after, shown)) if len(shown) < len(found) else None,
        total=min(total, TOTAL_CAP),
        total_capped=total > TOTAL_CAP,
    )


def _fitting(
    found: Sequence[timeline.Moment], entity: Entity, *, detailed: bool
) -> tuple[list[timeline.Moment], list[TimelineEntry]]:
    """As many as there is room for, one at least; values only where they have room too."""
    hidden = type_of(entity.entity_type).hidden
    room, shown, entries = Room(), list[timeline.Moment](), list[TimelineEntry]()
    for moment in found:
        entry = _entry(moment, hidden)
        if not room.takes(entry) and shown:
            break
        values = {name: value for name, value in moment.fields.items() if name not in hidden}
        whole = entry.model_copy(update={"values": values})
        told = detailed and bool(values) and room.takes(whole, instead_of=entry)
        shown.append(moment)
        entries.append(whole if told else entry)
    return shown, entries


def _entry(moment: timeline.Moment, hidden: frozenset[str]) -> TimelineEntry:
    edge = moment.edge
    is_fact = moment.observed_at is not None
    return TimelineEntry(
        at=iso(moment.at),
        event_type=moment.what,
        actor=By(id=moment.actor_key, kind=moment.actor_kind or None, name=moment.actor_name or None),
        observed_at=iso(moment.observed_at) if moment.observed_at else None,
        observation_id=f"obs_{moment.key}" if is_fact else None,
        fields=sorted(moment.fields.keys() - hidden),
        relationship_id=edge.pk if edge else None,
        relationship_type=edge.relationship_type if edge else None,
        source_entity_id=edge.source_id if edge else None,
        target_entity_id=edge.target_id if edge else None,
        entity_ids=[] if edge or is_fact else list(moment.entity_ids),
    )

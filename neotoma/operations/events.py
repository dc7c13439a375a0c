"""Reading the event log: what closes gaps for every consumer outside."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import ReadParams, Shape
from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.filters import EventFilter
from neotoma.substrate.following import roots_of
from neotoma.substrate.models import Event
from neotoma.substrate.models.events import EVENT_TYPES


class ListEventsParams(ReadParams):
    after: int = Field(0, ge=0, description="Only events after this seq; hand back next_cursor.", examples=[0])
    entity_types: list[str] = Field(default_factory=list, max_length=20, description="Only of these types.")
    entity_ids: list[str] = Field(
        default_factory=list, max_length=100, description="Only about these and their threads."
    )
    event_types: list[str] = Field(
        default_factory=list,
        max_length=10,
        description="Only these events, e.g. entity.created.",
        examples=[["entity.created"]],
    )
    limit: int = Field(20, ge=1, le=100, description="Events on this page, 1 to 100.")


class EventList(Shape):
    events: list[dict[str, Any]] = Field(description="In order of seq.")
    next_cursor: int = Field(description="Hand this back as `after`; it stays the same while nothing new happens.")


@operation(
    "list_events",
    title="Read the event log",
    effect="read",
    risk="low",
    scopes=("read", "report", "review", "guest"),
    route=Route("GET", "events"),
    toolset="webhooks",
)
def list_events(context: Context, params: ListEventsParams) -> EventList:
    """Read what happened after a cursor, in commit order, without gaps; only about what you may see.

    observation.created comes only when you name it in event_types.
    """
    refuse_unknown_events(params.event_types)
    wanted = EventFilter.of(
        entity_types=params.entity_types, entity_ids=params.entity_ids, event_types=params.event_types
    )
    if wanted.entity_ids:
        wanted = wanted.following(roots_of(wanted.entity_ids))
    rows = Event.objects.visible_to(context.audience).filter(wanted.q(), seq__gt=params.after)
    events = list(rows.order_by("seq")[: params.limit])
    return EventList(
        events=[event.payload() for event in events], next_cursor=events[-1].seq if events else params.after
    )


def refuse_unknown_events(names: list[str]) -> None:
    """Names that no event has are refused, not ignored."""
    unknown = [name for name in names if name not in EVENT_TYPES]
    if unknown:
        raise InvalidInput.at("event_types", f"unknown: {', '.join(unknown)}", hint=f"Known: {', '.join(EVENT_TYPES)}.")

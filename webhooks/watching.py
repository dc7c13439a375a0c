"""By what an event finds the subscriptions that may want it: pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from neotoma.substrate.filters import EventFilter, EventLike

Kind = Literal["entity", "type", "event"]


def watched(wanted: EventFilter) -> list[tuple[Kind, str]]:
    """The narrowest part of a filter that has any: an event that matches carries one of its values."""
    parts: tuple[tuple[Kind, frozenset[str]], ...] = (
        ("entity", wanted.entity_ids),
        ("type", wanted.entity_types),
        ("event", wanted.event_types),
    )
    return next(([(kind, value) for value in sorted(values)] for kind, values in parts if values), [])


def carried(events: Iterable[EventLike]) -> dict[Kind, set[str]]:
    """The values of each kind that these events carry."""
    found: dict[Kind, set[str]] = {"entity": set(), "type": set(), "event": set()}
    for event in events:
        found["entity"].update({event.entity_id, event.target_id, event.thread_id} - {""})
        found["type"].add(event.entity_type)
        found["event"].add(event.event_type)
    return found

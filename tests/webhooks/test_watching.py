"""What a subscription watches is carried by every event that it matches."""

from __future__ import annotations

from itertools import product

import pytest

from neotoma.substrate.filters import EventFilter
from neotoma.substrate.models import Event
from webhooks.watching import carried, watched


@pytest.mark.parametrize(
    ("wanted", "kinds"),
    [
        (EventFilter.of(entity_ids=["a"], entity_types=["task"], event_types=["entity.created"]), {"entity"}),
        (EventFilter.of(entity_types=["task", "note"], event_types=["entity.created"]), {"type"}),
        (EventFilter.of(event_types=["entity.created"]), {"event"}),
    ],
)
def test_only_the_narrowest_part_is_watched(wanted: EventFilter, kinds: set[str]) -> None:
    assert {kind for kind, _ in watched(wanted)} == kinds


def test_an_event_without_other_end_or_thread_carries_no_empty_id() -> None:
    event = Event(event_type="entity.created", entity_id="a", entity_type="task")
    assert carried([event]) == {"entity": {"a"}, "type": {"task"}, "event": {"entity.created"}}


def test_whatever_matches_is_found() -> None:
    events = [
        Event(event_type=kind, entity_id=one, target_id=other, thread_id=thread, entity_type=about)
        for kind, one, other, thread, about in product(
            ("entity.created", "observation.created"), ("a", "b"), ("", "a"), ("", "c"), ("task", "note")
        )
    ]
    hits = 0
    for types, ids, kinds in product(((), ("task",)), ((), ("a",), ("b", "c")), ((), ("observation.created",))):
        wanted = EventFilter.of(entity_types=types, entity_ids=ids, event_types=kinds)
        for event in events:
            if not wanted.is_empty and wanted.matches(event):
                hits += 1
                assert any(value in carried([event])[kind] for kind, value in watched(wanted))
    assert hits > 50

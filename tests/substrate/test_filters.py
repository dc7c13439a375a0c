"""The filter language means the same in Python and in SQL."""

from __future__ import annotations

from itertools import product

import pytest

from neotoma.substrate.filters import EventFilter
from neotoma.substrate.models import Event

A, B, T = (f"ent_{letter * 24}" for letter in "abc")


def event(**columns: str) -> Event:
    values = {"event_type": "entity.created", "entity_id": A, "entity_type": "task", "actor_key": "agent:1"}
    return Event(**{**values, **columns})


@pytest.mark.parametrize("column", ["entity_id", "target_id", "thread_id"])
def test_an_id_is_met_by_entity_other_end_and_thread(column: str) -> None:
    wanted = EventFilter.of(entity_ids=[T])
    assert wanted.matches(event(**{column: T}))
    assert not wanted.matches(event(**{column: B}))


def test_every_part_that_is_given_must_hold() -> None:
    wanted = EventFilter.of(entity_types=["task"], event_types=["entity.created"], entity_ids=[A])
    assert wanted.matches(event())
    assert not wanted.matches(event(entity_type="note"))
    assert not wanted.matches(event(event_type="entity.updated"))
    assert not wanted.matches(event(entity_id=B))


def test_observation_created_must_be_named() -> None:
    observed = event(event_type="observation.created")
    assert not EventFilter.of(entity_types=["task"]).matches(observed)
    assert EventFilter.of(event_types=["observation.created"]).matches(observed)


def test_an_actors_own_events_can_be_left_out() -> None:
    wanted = EventFilter.of(entity_types=["task"], exclude_actor="agent:1")
    assert not wanted.matches(event())
    assert wanted.matches(event(actor_key="agent:2"))


def test_a_filter_knows_that_it_is_empty() -> None:
    assert EventFilter.of(exclude_actor="agent:1").is_empty
    assert not EventFilter.of(event_types=["entity.created"]).is_empty


@pytest.mark.django_db
def test_python_and_sql_agree() -> None:
    Event.objects.bulk_create(
        event(event_type=kind, entity_id=one, target_id=other, thread_id=thread, entity_type=about, actor_key=actor)
        for kind, one, other, thread, about, actor in product(
            ("entity.created", "relationship.created", "observation.created"),
            (A, B),
            ("", A),
            ("", T),
            ("task", "note"),
            ("agent:1", "agent:2"),
        )
    )
    rows = list(Event.objects.all())
    for types, ids, kinds, actor in product(
        ((), ("task",), ("task", "note")),
        ((), (A,), (B, T)),
        ((), ("entity.created",), ("observation.created", "relationship.created")),
        ("", "agent:1"),
    ):
        wanted = EventFilter.of(entity_types=types, entity_ids=ids, event_types=kinds, exclude_actor=actor)
        in_sql = set(Event.objects.filter(wanted.q()).values_list("seq", flat=True))
        assert in_sql == {row.seq for row in rows if wanted.matches(row)}

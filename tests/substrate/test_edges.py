from __future__ import annotations

import pytest
from django.utils import timezone

from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft, Edge
from neotoma.substrate.errors import WriteRace
from neotoma.substrate.models import Event, Relationship, RelationshipObservation
from neotoma.substrate.store import open_write

pytestmark = pytest.mark.django_db


@pytest.fixture
def ends() -> tuple[str, str]:
    with open_write(SYSTEM, timezone.now()) as write:
        one, other = write.put([Draft("task", {"title": title}) for title in ("one", "other")])
    return one.entity.pk, other.entity.pk


def link(*edges: Edge) -> None:
    with open_write(SYSTEM, timezone.now()) as write:
        write.link(edges)


def verbs() -> list[str]:
    events = Event.objects.filter(event_type__startswith="relationship.").order_by("seq")
    return [event.event_type.partition(".")[2] for event in events]


def test_stating_an_edge_that_was_taken_back_restores_it(ends: tuple[str, str]) -> None:
    link(Edge("REFERS_TO", *ends))
    link(Edge("REFERS_TO", *ends, kind="deletion"))
    link(Edge("REFERS_TO", *ends))
    assert verbs() == ["created", "deleted", "restored"]
    assert Relationship.objects.get().deleted_at is None


def test_the_loser_of_a_race_writes_nothing_and_runs_again(ends: tuple[str, str]) -> None:
    link(Edge("REFERS_TO", *ends))
    with pytest.raises(WriteRace), open_write(SYSTEM, timezone.now()) as write:
        write.lock(ends[0]).made_now = True  # as if nobody else could have linked it: the other came in between
        write.link([Edge("REFERS_TO", *ends, {"note": "lost"})])
    assert verbs() == ["created"]
    assert RelationshipObservation.objects.count() == 1
    assert Relationship.objects.get().metadata == {}


def test_an_edge_stated_twice_in_one_write_is_created_once() -> None:
    with open_write(SYSTEM, timezone.now()) as write:
        one, other = (item.entity.pk for item in write.put([Draft("task", {"title": t}) for t in ("one", "other")]))
        write.link([Edge("REFERS_TO", one, other), Edge("REFERS_TO", one, other)])
        write.link([Edge("REFERS_TO", one, other)])
        write.link([Edge("REFERS_TO", one, other, kind="deletion")])
    assert verbs() == ["created", "deleted"]
    assert Relationship.objects.get().deleted_at is not None


def test_what_one_write_says_of_a_new_edge_in_parts_is_kept(ends: tuple[str, str]) -> None:
    link(Edge("REFERS_TO", *ends, {"a": 1}), Edge("REFERS_TO", *ends, {"b": 2}))
    assert Relationship.objects.get().metadata == {"a": 1, "b": 2}

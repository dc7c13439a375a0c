from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from neotoma.operations.invoke import call
from neotoma.operations.room import MOST
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Event
from neotoma.substrate.store import open_write
from tests.support import callers

pytestmark = pytest.mark.django_db


def changes(caller: Any = None, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = call("list_recent_changes", more, caller or callers.agent())["changes"]
    return found


def told(caller: Any = None, **more: Any) -> list[tuple[str, str]]:
    return [(change["event_type"], change["name"]) for change in changes(caller, **more)]


def test_changes_of_all_entities_come_newest_first() -> None:
    agent = callers.agent()
    dig, note = callers.stored(agent, title="dig"), callers.stored(agent, entity_type="note", title="soil")
    callers.stored(agent, title="dig", depth=2)
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": dig, "target_entity_id": note}
    call("create_relationships", {"relationships": [edge]}, agent)
    call("delete_entity", {"entity_id": note}, agent)
    assert told() == [
        ("entity.deleted", "soil"),
        ("relationship.created", "dig"),
        ("entity.updated", "dig"),
        ("entity.created", "soil"),
        ("entity.created", "dig"),
    ]
    assert told(entity_types=["note"]) == [("entity.deleted", "soil"), ("entity.created", "soil")]
    assert told(event_types=["entity.updated", "relationship.created"]) == [
        ("relationship.created", "dig"),
        ("entity.updated", "dig"),
    ]
    assert told(entity_types=["ghost"]) == []


def test_a_change_says_who_did_what() -> None:
    callers.stored(callers.agent(), title="dig", depth=1)
    callers.stored(callers.agent(), title="dig", depth=2)
    change = changes()[0]
    assert (change["actor"]["name"], change["fields"]) == ("read-write-work", ["depth"])
    assert "values" not in change
    assert changes(response_format="detailed")[0]["values"] == {"depth": {"old": 1, "new": 2}}


def test_only_what_happened_since_a_time() -> None:
    callers.stored(callers.agent(), title="dig")
    between = timezone.now()
    callers.stored(callers.agent(), title="fill")
    assert told(since=between.isoformat()) == [("entity.created", "fill")]
    assert told(since=(between + timedelta(hours=1)).isoformat()) == []
    assert len(told(since=(between - timedelta(days=400)).isoformat())) == 2
    assert len(told(since="0001-01-01T00:00:00Z")) == 2


def test_what_began_before_and_was_stored_later_is_found_by_its_own_time() -> None:
    """The later place in the log belongs to the earlier time: a long transaction."""
    now = timezone.now()
    for title, at in (("short", now), ("long", now - timedelta(seconds=20))):
        with open_write(SYSTEM, at) as write:
            write.put([Draft("note", {"title": title})])
    assert told(since=(now - timedelta(seconds=1)).isoformat()) == [("entity.created", "short")]
    assert told(since=(now - timedelta(seconds=30)).isoformat()) == [
        ("entity.created", "long"),
        ("entity.created", "short"),
    ]


def test_what_one_may_not_see_is_neither_told_nor_counted() -> None:
    agent = callers.agent()
    private, shown = callers.stored(agent, title="private"), callers.stored(agent, title="shown")
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": shown, "target_entity_id": private}
    call("create_relationships", {"relationships": [edge]}, agent)
    callers.conceal(private)
    answer = call("list_recent_changes", {}, agent)
    assert {change["name"] for change in answer["changes"]} == {"shown"}
    assert answer["total"] == 2
    assert private not in str(answer)
    assert told(callers.reporter()) == []


def test_a_reporter_hears_of_its_own() -> None:
    reporter = callers.reporter()
    callers.stored(callers.agent(), title="other")
    callers.stored(reporter, title="mine")
    assert told(reporter) == [("entity.created", "mine")]


def test_pages_hold_every_change_once_though_more_happens() -> None:
    agent = callers.agent()
    for number in range(5):
        callers.stored(agent, title=f"task {number}")
    whole, found, arguments = told(), list[tuple[str, str]](), dict[str, Any](limit=2)
    while True:
        answer = call("list_recent_changes", arguments, agent)
        found += [(change["event_type"], change["name"]) for change in answer["changes"]]
        if "next_cursor" not in answer:
            break
        arguments["cursor"] = answer["next_cursor"]
        callers.stored(agent, title=f"later {len(found)}")
    assert found == whole


def test_a_page_ends_where_the_room_does() -> None:
    agent = callers.agent()
    for number in range(30):
        callers.stored(agent, title=f"task {number}", text=f"{number}" * 900)
    arguments: dict[str, Any] = {"limit": 100, "response_format": "detailed"}
    seqs: list[int] = []
    while True:
        answer = call("list_recent_changes", arguments, agent)
        assert len(json.dumps(answer, separators=(",", ":"))) <= MOST
        seqs += [change["seq"] for change in answer["changes"]]
        if "next_cursor" not in answer:
            break
        arguments["cursor"] = answer["next_cursor"]
    told = Event.objects.exclude(event_type="observation.created").order_by("-seq")
    assert seqs == list(told.values_list("seq", flat=True))


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(Refusal) as refused:
        changes(event_types=["entity.exploded"])
    assert refused.value.details["fields"][0]["path"] == "event_types"


@pytest.mark.parametrize("entities", [1, 20])
def test_a_page_takes_as_many_queries_however_long(entities: int) -> None:
    agent = callers.agent()
    for number in range(entities):
        callers.stored(agent, title=f"task {number}")
    with CaptureQueriesContext(connection) as queries:
        changes(agent)
    assert len(queries) == 3  # the page, the count, the names

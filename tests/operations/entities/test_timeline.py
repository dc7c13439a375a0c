from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
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
from neotoma.substrate.store import open_write
from tests.support import callers

pytestmark = pytest.mark.django_db


def read(entity_id: str, caller: Any = None, **more: Any) -> dict[str, Any]:
    return call("retrieve_timeline", {"entity_id": entity_id, **more}, caller or callers.agent())


def told(entity_id: str, caller: Any = None, **more: Any) -> list[str]:
    return [event["event_type"] for event in read(entity_id, caller, **more)["events"]]


def relate(one: str, other: str, verb: str = "create_relationships") -> None:
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": one, "target_entity_id": other}
    call(verb, {"relationships": [edge]} if verb == "create_relationships" else edge, callers.agent())


@pytest.fixture
def task() -> str:
    """A task to which one of everything happened."""
    agent = callers.agent()
    task = callers.stored(agent, title="dig", depth=1)
    other = callers.stored(agent, title="other")
    relate(task, other)
    callers.stored(agent, title="dig", depth=2)
    relate(task, other, "delete_relationship")
    relate(task, other, "restore_relationship")
    call("delete_entity", {"entity_id": task}, agent)
    call("restore_entity", {"entity_id": task}, agent)
    return task


ALL = [
    "observation",
    "relationship.created",
    "observation",
    "relationship.deleted",
    "relationship.restored",
    "deletion",
    "restoration",
]


def test_everything_that_happened_is_told_in_order(task: str) -> None:
    assert told(task) == ALL
    assert told(task, sort_order="desc") == ALL[::-1]
    assert read(task)["total"] == len(ALL)


def test_an_entry_says_who_did_what(task: str) -> None:
    first, edge, *_ = read(task)["events"]
    assert (first["actor"]["kind"], first["actor"]["name"], first["fields"]) == (
        "agent",
        "read-write-work",
        ["depth", "title"],
    )
    assert first["observation_id"].startswith("obs_")
    assert "values" not in first
    assert (edge["relationship_type"], edge["source_entity_id"]) == ("REFERS_TO", task)
    assert read(task, response_format="detailed")["events"][2]["values"] == {"title": "dig", "depth": 2}


def test_kinds_and_times_narrow(task: str) -> None:
    assert told(task, event_types=["deletion", "relationship.created"]) == ["relationship.created", "deletion"]
    times = [event["at"] for event in read(task)["events"]]
    assert told(task, since=times[2]) == ALL[2:]
    assert told(task, until=times[2]) == ALL[:2]
    assert told(task, since=times[2], until=times[3]) == ALL[2:3]


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_hold_everything_once_though_more_happens(task: str, order: str, limit: int) -> None:
    arguments: dict[str, Any] = {"limit": limit, "sort_order": order}
    whole, found = told(task, sort_order=order), list[str]()
    while True:
        answer = read(task, **arguments)
        found += [event["event_type"] for event in answer["events"]]
        if "next_cursor" not in answer:
            break
        arguments["cursor"] = answer["next_cursor"]
        if order == "desc":
            callers.stored(callers.agent(), title="dig", depth=len(found))
    assert found == whole


def test_an_edge_to_what_one_may_not_see_is_not_told() -> None:
    agent = callers.agent()
    task, private, back = (callers.stored(agent, title=title) for title in ("dig", "private", "back"))
    relate(task, private)
    relate(private, task)
    relate(back, task)
    callers.conceal(private)
    assert told(task, event_types=["relationship.created"]) == ["relationship.created"]
    assert private not in str(read(task))
    assert len(told(task, callers.operator(), event_types=["relationship.created"])) == 3


def test_a_merge_brings_what_happened_before_under_both_names(task: str) -> None:
    agent = callers.agent()
    gone = callers.stored(agent, title="dug", depth=3)
    relate(callers.stored(agent, title="third"), gone)
    call("merge_entities", {"from_entity_id": gone, "to_entity_id": task}, agent)
    assert told(task) == [*ALL, "observation", "relationship.created", "merge"]
    assert read(gone)["entity_id"] == task
    assert read(task)["events"][-1]["entity_ids"] == [gone, task]
    call("split_entity", {"entity_id": task, "merged_entity_id": gone}, agent)
    assert told(gone) == ["observation", "relationship.created", "merge", "split"]
    assert told(task) == [*ALL, "merge", "split"]


def test_hidden_fields_are_not_told() -> None:
    boss = callers.operator()
    task = callers.stored(boss, title="watched")
    url = "https://hooks.example.com/secret-path"
    watched = {"entity_ids": [task], "delivery_method": "webhook", "webhook_url": url}
    made = call("subscribe", watched, boss)["subscription_id"]
    answer = read(made, boss, response_format="detailed")
    assert answer["events"][0]["fields"]
    assert "secret-path" not in str(answer)
    assert "webhook_url" not in answer["events"][0]["fields"]


def test_a_page_ends_where_the_room_does_and_loses_nothing() -> None:
    drafts = [Draft("note", {"title": "long", "text": f"{number}" * 3_000}) for number in range(10)]
    with open_write(SYSTEM, timezone.now()) as write:
        [first, *_] = write.put(drafts)
    agent, found, arguments = callers.agent(), list[str](), {"response_format": "detailed"}
    while True:
        answer = read(first.entity.pk, agent, **arguments)
        assert len(json.dumps(answer, separators=(",", ":"))) <= MOST
        found += [event["observation_id"] for event in answer["events"]]
        if "next_cursor" not in answer:
            break
        arguments["cursor"] = answer["next_cursor"]
    assert len(found) == len(set(found)) == 10


def test_what_one_may_not_see_has_no_timeline(task: str) -> None:
    with pytest.raises(Refusal) as refused:
        read(task, callers.reporter())
    assert refused.value.error_code == "NOT_FOUND"


@pytest.mark.parametrize(
    ("name", "value"),
    [("event_types", ["birth"]), ("since", "soon"), ("until", "2026-01-01T00:00:00"), ("cursor", "x")],
)
def test_what_makes_no_sense_is_refused_by_name(task: str, name: str, value: Any) -> None:
    with pytest.raises(Refusal) as refused:
        read(task, **{name: value})
    assert refused.value.status == 422
    assert refused.value.details["fields"][0]["path"].startswith(name)


@pytest.mark.parametrize("facts", [1, 30])
def test_a_page_takes_as_many_queries_however_long(facts: int) -> None:
    agent = callers.agent()
    task = callers.stored(agent, title="dig")
    for number in range(facts):
        relate(task, callers.stored(agent, title=f"other {number}"))
    with CaptureQueriesContext(connection) as queries:
        read(task, agent)
    assert len(queries) == 10  # the entity, the types, and a page and a count of facts, edges each way, and decisions


def test_facts_observed_long_ago_stand_where_they_were_stored() -> None:
    now = timezone.now()
    drafts = [Draft("note", {"title": "x", "n": n}, observed_at=now - timedelta(days=n)) for n in range(3)]
    with open_write(SYSTEM, now) as write:
        [first, *_] = write.put(drafts)
    observed = [event["observed_at"] for event in read(first.entity.pk)["events"]]
    assert observed == sorted(observed, reverse=True)
    assert datetime.fromisoformat(observed[2]) == (now - timedelta(days=2)).astimezone(UTC)

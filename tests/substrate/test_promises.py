"""What stores of facts get wrong, each with what is right here."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from neotoma.access import bootstrap
from neotoma.access.models import Agent
from neotoma.operations.invoke import Caller, call
from neotoma.substrate.errors import Conflict, Refusal
from neotoma.substrate.identity import entity_id
from neotoma.substrate.models import Entity, Event, Observation, Relationship, Source
from tests.support import callers
from tests.webhooks import world

pytestmark = pytest.mark.django_db

NOBODY = "ent_" + "0" * 24


@pytest.fixture
def ant() -> Caller:
    return callers.agent()


def store(caller: Caller, *entities: dict[str, Any], **more: Any) -> dict[str, Any]:
    return call("store", {"entities": list(entities), **more}, caller)


def read(caller: Caller, entity: str) -> dict[str, Any]:
    return call("retrieve_entity_snapshot", {"entity_id": entity}, caller)


def task(title: str, **fields: Any) -> dict[str, Any]:
    return {"entity_type": "task", "title": title, **fields}


def defined(name: str, *fields: dict[str, Any]) -> None:
    arguments = {"entity_type": name, "description": "A thing.", "fields": list(fields)}
    call("register_entity_type", arguments, callers.operator())


def left() -> list[int]:
    return [model._default_manager.count() for model in (Entity, Observation, Relationship, Event, Source)]


def test_a_batch_that_fails_poisons_neither_its_key_nor_the_next_try(ant: Caller) -> None:
    before = left()
    bad = {"relationship_type": "REFERS_TO", "source_index": 0, "target_index": 5}
    for _ in range(2):
        with pytest.raises(Refusal):
            store(ant, task("a"), task("b"), relationships=[bad], idempotency_key="k")
        assert left() == before
    good = {**bad, "target_index": 1}
    answer = store(ant, task("a"), task("b"), relationships=[good], idempotency_key="k")
    assert (answer["replayed"], len(answer["entities"]), len(answer["relationships_created"])) == (False, 2, 1)
    assert store(ant, task("a"), task("b"), relationships=[good], idempotency_key="k") == {**answer, "replayed": True}
    with pytest.raises(Conflict):
        store(ant, task("other"), idempotency_key="k")


@pytest.mark.parametrize(
    "edge", [{"target_index": 9}, {"target_entity_id": NOBODY}, {"target_index": 1, "relationship_type": "?"}]
)
def test_no_edge_is_dropped_in_silence(ant: Caller, edge: dict[str, Any]) -> None:
    before = left()
    with pytest.raises(Refusal) as info:
        store(ant, task("a"), task("b"), relationships=[{"relationship_type": "REFERS_TO", "source_index": 0, **edge}])
    named = str(info.value.details.get("path") or info.value.details["fields"][0]["path"])
    assert named.startswith("relationships.0.")
    assert left() == before


def test_a_correction_outlives_later_stores_and_the_later_of_two_wins(ant: Caller) -> None:
    held = callers.stored(ant, title="t", due="Monday")
    for value in ("Tuesday", "Wednesday"):
        call("correct", {"entity_id": held, "field": "due", "value": value}, ant)
        store(ant, task("t", due="Friday"), source_priority=999)
        assert read(ant, held)["snapshot"]["due"] == value


def test_a_field_that_nobody_declared_is_named_and_readable(ant: Caller) -> None:
    fields = [{"name": "amount", "type": "number"}]
    call(
        "register_entity_type",
        {"entity_type": "receipt", "description": "A receipt.", "fields": fields},
        callers.operator(),
    )
    answer = store(ant, {"entity_type": "receipt", "title": "r", "due_date": "2026-04-30"})
    assert "due_date" in answer["unknown_fields"]
    [warned] = [warning for warning in answer["warnings"] if warning["field"] == "due_date"]
    assert warned["details"]["stored_in"] == "raw_fragments"
    found = read(ant, answer["entities"][0]["entity_id"])
    assert found["raw_fragments"]["due_date"] == "2026-04-30"
    more = [{"name": "due_date", "type": "date"}]
    call("extend_entity_type", {"entity_type": "receipt", "fields": more}, callers.operator())
    assert read(ant, found["entity_id"])["snapshot"]["due_date"] == "2026-04-30"


def test_ids_of_one_scope_are_never_those_of_another_and_parts_never_run_together() -> None:
    ids = {
        entity_id(*parts)
        for parts in (("a", "b", "c"), ("ab", "", "c"), ("a", "bc", ""), ("a|b", "", "c"), ("", "ab", "c"))
    }
    assert len(ids) == 5


def test_two_who_call_things_the_same_do_not_meet() -> None:
    one, two = callers.reporter("one"), callers.reporter("two")
    assert callers.stored(one, title="x") != callers.stored(two, title="x")


def test_what_an_array_holds_can_be_taken_out_again() -> None:
    boss = callers.operator()
    defined("clip", {"name": "labels", "type": "array", "reducer": "merge_array"})
    held = callers.stored(boss, entity_type="clip", title="c", labels=["a", "b"])
    store(boss, {"entity_type": "clip", "title": "c", "labels": ["c"]}, source_priority=10)
    store(boss, {"entity_type": "clip", "title": "c", "labels": {"remove": ["a"]}})
    assert read(boss, held)["snapshot"]["labels"] == ["b", "c"]


def test_the_number_of_an_issue_and_its_id_are_the_same_issue(ant: Caller) -> None:
    issue = callers.filed(ant, visibility="public")
    by_number = call("get_issue_status", {"issue_number": issue["issue_number"]}, ant)
    by_id = call("get_issue_status", {"entity_id": issue["entity_id"]}, ant)
    assert by_number == by_id
    assert Entity.objects.filter(entity_type="issue").count() == 1


def test_events_are_written_with_the_facts_or_not_at_all(ant: Caller) -> None:
    before = left()
    with pytest.raises(Refusal):
        store(ant, task("a"), {"entity_type": "task", "target_id": NOBODY})
    assert left() == before
    answer = store(ant, task("a"))
    [event] = Event.objects.filter(event_type="entity.created", entity_id=answer["entities"][0]["entity_id"])
    assert event.fields_changed == {"title": {"old": None, "new": "a"}}


def test_no_read_answers_more_than_it_was_asked_for(ant: Caller) -> None:
    ids = [callers.stored(ant, title=f"t{number}", text="x" * 2_000) for number in range(8)]
    for name, arguments in (
        ("retrieve_entities", {"entity_type": "task", "limit": 100, "budget": 5_000}),
        ("retrieve_many", {"entity_ids": ids, "budget": 5_000}),
        ("list_observations", {"entity_id": ids[0], "budget": 5_000}),
    ):
        assert len(str(call(name, arguments, ant))) < 6_000


def test_what_the_caller_gets_wrong_is_never_called_an_error_of_the_server() -> None:
    token = bootstrap.mint(agent=Agent.objects.create(name="a"), scopes=["read", "write"])
    client = Client(headers={"Authorization": f"Bearer {token}"})
    post: Any = client.post
    bodies = {
        400: '{"entities": [',
        404: {"entities": [{"entity_type": "task", "target_id": NOBODY}]},
        403: {"entities": [{"entity_type": "issue", "title": "x"}]},
        409: {"entities": [{"entity_type": "task", "title": "x", "expect": {"n": 1}}]},
        422: {"entities": []},
    }
    for status, body in bodies.items():
        answer = post("/api/entities", body, content_type="application/json")
        assert answer.status_code == status
        assert {"error_code", "message", "hint", "details", "request_id"} == answer.json().keys()


def test_every_answer_names_its_request() -> None:
    answer: Any = Client().get("/api/entities", headers={"X-Request-Id": "mine-0123456789"})
    assert (answer.headers["X-Request-Id"], answer.json()["request_id"]) == ("mine-0123456789", "mine-0123456789")


def test_subscriptions_and_grants_follow_what_their_ids_became(ant: Caller) -> None:
    gone, kept = callers.stored(ant, title="gone"), callers.stored(ant, title="kept")
    world.subscribe(ant, entity_ids=[gone])
    callers.merged(gone, kept)
    callers.stored(ant, title="kept", n=1)
    assert len(world.fan_out()) == 2

"""A correction wins until a newer correction, whatever is stored in between."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pydantic import BaseModel

from neotoma.operations.invoke import Caller, call
from neotoma.operations.models import AuditEntry
from neotoma.substrate import schema
from neotoma.substrate.errors import InvalidInput, NotFound, Refusal
from neotoma.substrate.models import Entity, Event, Observation
from neotoma.substrate.schema import EntityType, register_type
from tests.support import callers

pytestmark = pytest.mark.django_db

NOBODY = "ent_0123456789abcdef01234567"


@pytest.fixture
def ant() -> Caller:
    return callers.agent()


@pytest.fixture
def bill(monkeypatch: pytest.MonkeyPatch) -> EntityType:
    class Bill(BaseModel):
        number: str
        total: int | None = None
        tags: list[str] | None = None
        best: int | None = None

    monkeypatch.setattr(schema, "_TYPES", dict(schema._TYPES))
    reducers: Any = {"tags": "merge_array", "best": "highest_priority"}
    return register_type(EntityType("bill", "A bill.", model=Bill, identity=(("number",),), reducers=reducers))


def correct(caller: Caller, entity_id: str, field: str, value: Any, **more: Any) -> dict[str, Any]:
    return call("correct", {"entity_id": entity_id, "field": field, "value": value, **more}, caller)


def snapshot(caller: Caller, entity_id: str) -> dict[str, Any]:
    found: dict[str, Any] = call("retrieve_entity_snapshot", {"entity_id": entity_id}, caller)["snapshot"]
    return found


def refused(caller: Caller, *corrections: dict[str, Any]) -> Refusal:
    before = Observation.objects.count()
    with pytest.raises(Refusal) as info:
        call("correct_many", {"corrections": list(corrections)}, caller)
    assert Observation.objects.count() == before
    return info.value


def item(entity_id: str, field: str = "title", value: Any = "x", **more: Any) -> dict[str, Any]:
    return {"entity_id": entity_id, "field": field, "value": value, **more}


def test_what_is_corrected_stays_whatever_is_stored_later(ant: Caller) -> None:
    task = callers.stored(ant, title="t", due="Monday")
    answer = correct(ant, task, "due", "Tuesday")
    assert (answer["value"], answer["action"], answer["warnings"]) == ("Tuesday", "updated", [])
    later = {"entity_type": "task", "title": "t", "due": "Friday"}
    [stored] = call("store", {"entities": [later], "source_priority": 999}, ant)["entities"]
    assert (stored["action"], [w["code"] for w in stored["warnings"]]) == ("unchanged", ["OUTRANKED_FIELD"])
    assert stored["warnings"][0]["details"]["observation_id"] == answer["observation_id"]
    assert snapshot(ant, task)["due"] == "Tuesday"
    assert correct(ant, task, "due", "Wednesday")["value"] == "Wednesday"


@pytest.mark.usefixtures("bill")
def test_a_correction_wins_whatever_the_fields_reducer(ant: Caller) -> None:
    bill = callers.stored(ant, entity_type="bill", number="1", best=1, tags=["a", "b"])
    for field, value in (("best", 2), ("tags", ["c"]), ("total", 3)):
        correct(ant, bill, field, value)
    later = {"entity_type": "bill", "number": "1", "best": 9, "tags": ["d"], "total": 9}
    call("store", {"entities": [later], "source_priority": 999}, ant)
    assert snapshot(ant, bill) == {"number": "1", "best": 2, "tags": ["c"], "total": 3}
    assert correct(ant, bill, "tags", {"add": ["e"], "remove": ["c"]})["value"] == ["e"]


def test_a_correction_to_what_it_is_already_pins_it(ant: Caller) -> None:
    task = callers.stored(ant, title="t", due="Monday")
    events = Event.objects.count()
    assert correct(ant, task, "due", "Monday")["action"] == "unchanged"
    assert Event.objects.count() == events
    callers.stored(ant, title="t", due="Friday")
    assert snapshot(ant, task)["due"] == "Monday"


def test_null_clears_for_good_and_says_what_it_was(ant: Caller) -> None:
    task = callers.stored(ant, title="t", due="Monday")
    answer = correct(ant, task, "due", None)
    assert "value" not in answer
    assert [(w["code"], w["field"], w["details"]) for w in answer["warnings"]] == [
        ("NULL_CLEARED_FIELD", "due", {"previous": "Monday"})
    ]
    callers.stored(ant, title="t", due="Friday")
    assert "due" not in snapshot(ant, task)


def test_an_ordinary_null_over_a_correction_does_not_claim_to_have_cleared(ant: Caller) -> None:
    task = callers.stored(ant, title="t")
    correct(ant, task, "due", "Monday")
    [stored] = call("store", {"entities": [{"entity_type": "task", "title": "t", "due": None}]}, ant)["entities"]
    assert [w["code"] for w in stored["warnings"]] == ["OUTRANKED_FIELD"]
    assert snapshot(ant, task)["due"] == "Monday"


@pytest.mark.usefixtures("bill")
def test_values_of_a_wrong_type_and_types_that_differ_are_refused(ant: Caller) -> None:
    bill = callers.stored(ant, entity_type="bill", number="1")
    with pytest.raises(InvalidInput) as info:
        correct(ant, bill, "total", "many")
    assert info.value.details["fields"][0]["path"] == "value.total"
    with pytest.raises(InvalidInput) as info:
        correct(ant, bill, "total", 3, entity_type="task")
    assert info.value.details["fields"][0]["path"] == "entity_type"
    assert correct(ant, bill, "total", 3, entity_type="bill")["value"] == 3


@pytest.mark.usefixtures("bill")
def test_an_undeclared_field_is_kept_aside_and_named(ant: Caller) -> None:
    bill = callers.stored(ant, entity_type="bill", number="1")
    answer = correct(ant, bill, "colour", "red")
    assert (answer["value"], answer["warnings"][0]["code"]) == ("red", "UNKNOWN_FIELD")
    found = call("retrieve_entity_snapshot", {"entity_id": bill}, ant)
    assert (found["snapshot"], found["raw_fragments"]) == ({"number": "1"}, {"colour": "red"})


def test_many_are_corrected_at_once_and_in_order(ant: Caller) -> None:
    one, two = callers.stored(ant, title="one"), callers.stored(ant, title="two")
    corrections = [item(one, "n", 1), item(two, "n", 2), item(one, "n", 3)]
    answer = call("correct_many", {"corrections": corrections, "idempotency_key": "k"}, ant)
    assert [(row["entity_id"], row["observation_id"]) for row in answer["results"]] == [
        (row.entity_id, row.public_id) for row in Observation.objects.filter(kind="correction").order_by("pk")
    ]
    assert [snapshot(ant, task)["n"] for task in (one, two)] == [3, 2]
    again = call("correct_many", {"corrections": corrections, "idempotency_key": "k"}, ant)
    assert again == {**answer, "replayed": True}
    assert Observation.objects.filter(kind="correction").count() == 3
    assert AuditEntry.objects.get(operation="correct_many").details == {"corrections": 3}


def test_every_correction_that_cannot_be_done_is_named_and_none_is_done(ant: Caller) -> None:
    task, hidden = callers.stored(ant, title="one"), callers.stored(ant, title="hidden")
    callers.conceal(hidden)
    issue = call("submit_issue", {"title": "t", "body": "b", "reporter_app_version": "1", "visibility": "public"}, ant)
    refusal = refused(
        ant,
        item(task),
        item(NOBODY),
        item(hidden),
        item(issue["entity_id"]),
        item(task, entity_type="note"),
    )
    assert (refusal.status, refusal.error_code, refusal.details["path"]) == (
        404,
        "NOT_FOUND",
        "corrections.1.entity_id",
    )
    named = [
        (one["error_code"], one["details"].get("path") or one["details"]["fields"][0]["path"])
        for one in refusal.details["refusals"]
    ]
    assert named == [
        ("NOT_FOUND", "corrections.1.entity_id"),
        ("NOT_FOUND", "corrections.2.entity_id"),
        ("ERR_MANAGED_TYPE", "corrections.3.entity_id"),
        ("VALIDATION_FAILED", "corrections.4.entity_type"),
    ]


def test_reporters_correct_what_is_theirs() -> None:
    one, two = callers.reporter("one"), callers.reporter("two")
    mine = callers.stored(one, title="mine")
    Entity.objects.filter(pk=mine).update(visibility="public")
    assert correct(one, mine, "title", "better")["value"] == "better"
    refusal = refused(two, item(mine))
    assert (refusal.error_code, refusal.details["path"]) == ("NOT_YOURS", "corrections.0.entity_id")


def test_a_merged_entity_is_corrected_where_it_is_now(ant: Caller) -> None:
    gone, kept = callers.stored(ant, title="gone"), callers.stored(ant, title="kept")
    callers.merged(gone, kept)
    assert correct(ant, gone, "n", 1)["entity_id"] == kept
    [row] = call("correct_many", {"corrections": [item(gone, "n", 2)]}, ant)["results"]
    assert (row["entity_id"], snapshot(ant, kept)["n"]) == (kept, 2)


def test_unknown_is_not_found(ant: Caller) -> None:
    with pytest.raises(NotFound):
        correct(ant, NOBODY, "title", "x")


@pytest.mark.parametrize("size", [1, 30])
def test_many_take_as_many_queries_as_one(ant: Caller, size: int) -> None:
    tasks = [callers.stored(ant, title=f"task {number}") for number in range(size)]
    with CaptureQueriesContext(connection) as queries:
        call("correct_many", {"corrections": [item(task, "n", 1) for task in tasks]}, ant)
    assert len([q for q in queries if "SAVEPOINT" not in q["sql"]]) <= 10

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from neotoma.operations.invoke import Caller, call
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import InvalidInput, NotFound
from neotoma.substrate.store import open_write
from tests.support import callers

pytestmark = pytest.mark.django_db


@pytest.fixture
def ant() -> Caller:
    return callers.agent()


@pytest.fixture
def task(ant: Caller) -> str:
    """Seven facts: five counts, a correction of the status, a deletion."""
    for number in range(5):
        entity_id = callers.stored(ant, title="t", n=number)
    call("correct", {"entity_id": entity_id, "field": "status", "value": "open"}, ant)
    call("delete_entity", {"entity_id": entity_id}, ant)
    return entity_id


def listed(caller: Caller, entity_id: str, **more: Any) -> dict[str, Any]:
    return call("list_observations", {"entity_id": entity_id, **more}, caller)


def traced(caller: Caller, entity_id: str, field: str, **more: Any) -> dict[str, Any]:
    return call("retrieve_field_provenance", {"entity_id": entity_id, "field": field, **more}, caller)


def paged(caller: Caller, entity_id: str, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        answer = listed(caller, entity_id, **more, **cursor)
        found += answer["observations"]
        if "next_cursor" not in answer:
            return found
        cursor = {"cursor": answer["next_cursor"]}


@pytest.mark.parametrize("limit", [1, 2, 7, 100])
@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_pages_hold_every_observation_once_in_order(ant: Caller, task: str, order: str, limit: int) -> None:
    found = paged(ant, task, order=order, limit=limit)
    kinds = ["store"] * 5 + ["correction", "deletion"]
    assert [row["kind"] for row in found] == (kinds if order == "oldest" else kinds[::-1])
    assert len({row["observation_id"] for row in found}) == listed(ant, task)["total"] == 7


def test_an_observation_is_shown_with_who_stated_it_and_when(ant: Caller, task: str) -> None:
    actor = ant.principal.actor
    first = listed(ant, task, order="oldest", limit=1)["observations"][0]
    assert first.pop("observation_id").startswith("obs_")
    assert first.pop("observed_at") == first.pop("ingested_at")
    assert first == {
        "kind": "store",
        "fields": {"title": "t", "n": 0},
        "actor": {"id": actor.key, "kind": actor.kind, "name": actor.name},
        "source_priority": 100,
        "observation_source": "llm_summary",
    }


def test_those_that_speak_of_a_field_show_it_alone(ant: Caller, task: str) -> None:
    answer = listed(ant, task, field="n")
    assert [row["fields"] for row in answer["observations"]] == [{"n": number} for number in range(4, -1, -1)]
    assert (answer["total"], answer["total_capped"]) == (5, False)
    assert listed(ant, task, field='no "such" field.x')["total"] == 0
    odd = callers.stored(ant, title="odd", **{'quo"te': 1, "0": 2, "a.b": 3})
    assert [listed(ant, odd, field=name)["total"] for name in ('quo"te', "0", "a.b", "a")] == [1, 1, 1, 0]


def test_a_page_ends_at_the_budget_and_goes_on(ant: Caller) -> None:
    for number in range(6):
        entity_id = callers.stored(ant, title="t", n=number, text="x" * 700)
    first = listed(ant, entity_id, budget=2_500)
    assert 0 < len(first["observations"]) < 6
    assert len(paged(ant, entity_id, budget=2_500)) == 6
    assert len(listed(ant, entity_id, budget=1_000, limit=3)["observations"]) == 1


def test_a_cursor_of_something_else_is_refused(ant: Caller, task: str) -> None:
    for cursor in ("x", "WyJhIl0", "W251bGxd"):
        with pytest.raises(InvalidInput) as info:
            listed(ant, task, cursor=cursor)
        assert info.value.details["fields"][0]["path"] == "cursor"


def test_facts_of_merged_ones_are_listed_with_where_they_were_stated(ant: Caller) -> None:
    gone, kept = callers.stored(ant, title="gone", a=1), callers.stored(ant, title="kept")
    callers.merged(gone, kept)
    answer = listed(ant, gone)
    assert answer["entity_id"] == kept
    assert [row.get("stated_of") for row in answer["observations"]] == [None, gone]
    moved = answer["observations"][1]["observation_id"]
    new = call("split_entity", {"entity_id": kept, "observation_ids": [moved]}, ant)["new_entity_id"]
    assert [row["observation_id"] for row in listed(ant, new)["observations"]] == [moved]
    assert moved not in {row["observation_id"] for row in listed(ant, kept)["observations"]}


def test_a_field_is_traced_to_the_observation_that_counts(ant: Caller, task: str) -> None:
    with open_write(SYSTEM, timezone.now()) as write:
        write.put([Draft("task", {"status": "closed"}, entity_id=task)])
    answer = traced(ant, task, "status")
    assert (answer["value"], answer["observation"]["kind"]) == ("open", "correction")
    assert [row["fields"]["status"] for row in answer["history"]] == ["closed", "open"]
    assert answer["observation"] == answer["history"][1]
    assert answer["total"] == 2


def test_a_field_that_was_cleared_is_traced_to_who_cleared_it(ant: Caller) -> None:
    task = callers.stored(ant, title="t", due="Monday")
    callers.stored(ant, title="t", due=None)
    answer = traced(ant, task, "due")
    assert "value" not in answer
    assert answer["observation"]["fields"] == {"due": None}
    assert len(answer["history"]) == 2


def test_the_history_of_a_field_goes_on_page_by_page(ant: Caller, task: str) -> None:
    first = traced(ant, task, "n", limit=3)
    rest = traced(ant, task, "n", limit=3, cursor=first["next_cursor"])
    assert [row["fields"]["n"] for row in first["history"] + rest["history"]] == [4, 3, 2, 1, 0]
    assert "next_cursor" not in rest


def test_a_field_of_which_nothing_was_stated_is_not_found(ant: Caller, task: str) -> None:
    with pytest.raises(NotFound) as info:
        traced(ant, task, "colour")
    assert info.value.hint == "Known: n, status, title."


def test_what_a_type_hides_is_in_no_history() -> None:
    boss = callers.operator()
    wanted = {"entity_types": ["task"], "delivery_method": "webhook", "webhook_url": "https://example.com/?key=abc"}
    made = call("subscribe", wanted, boss)["subscription_id"]
    assert "abc" not in str(listed(boss, made))
    with pytest.raises(NotFound) as info:
        traced(boss, made, "webhook_url")
    assert "webhook_url" not in info.value.hint
    assert listed(boss, made, field="webhook_url")["total"] == 0


def test_what_one_may_not_see_is_not_found(ant: Caller, task: str) -> None:
    callers.conceal(task)
    with pytest.raises(NotFound):
        listed(ant, task)
    with pytest.raises(NotFound):
        traced(ant, task, "title")


@pytest.mark.parametrize("size", [1, 60])
def test_the_number_of_queries_does_not_grow(ant: Caller, size: int, django_assert_num_queries: Any) -> None:
    for number in range(size):
        task = callers.stored(ant, title="t", n=number)
    with django_assert_num_queries(4):
        listed(ant, task, limit=100)
    with django_assert_num_queries(5):
        traced(ant, task, "n", limit=100)

from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.invoke import Caller, call
from tests.support import callers

pytestmark = pytest.mark.django_db

NOBODY = "ent_0123456789abcdef01234567"


@pytest.fixture
def ant() -> Caller:
    return callers.agent()


def many(caller: Caller, *ids: str, **more: Any) -> dict[str, Any]:
    return call("retrieve_many", {"entity_ids": list(ids), **more}, caller)


def test_entities_come_in_the_order_asked_for(ant: Caller) -> None:
    a, b, c = (callers.stored(ant, title=title) for title in "abc")
    answer = many(ant, c, a, b, a)
    assert [row["entity_id"] for row in answer["entities"]] == [c, a, b, a]
    assert [row["snapshot"]["title"] for row in answer["entities"]] == ["c", "a", "b", "a"]
    assert answer["missing"] == answer["left_out"] == []


def test_what_is_unknown_and_what_is_invisible_is_missing_alike(ant: Caller) -> None:
    seen, hidden = callers.stored(ant, title="seen"), callers.stored(ant, title="hidden")
    callers.conceal(hidden)
    answer = many(ant, NOBODY, seen, hidden, NOBODY)
    assert [row["entity_id"] for row in answer["entities"]] == [seen]
    assert answer["missing"] == [NOBODY, hidden]


def test_merged_ones_are_read_as_what_they_became(ant: Caller) -> None:
    gone, kept, hidden = (callers.stored(ant, title=title) for title in ("gone", "kept", "hidden"))
    callers.merged(gone, kept)
    answer = many(ant, gone, kept)
    assert [(row["entity_id"], row.get("requested_id")) for row in answer["entities"]] == [(kept, gone), (kept, None)]
    callers.merged(kept, hidden)
    callers.conceal(hidden)
    assert many(ant, gone, kept)["missing"] == [gone, kept]


def test_what_is_beyond_the_budget_is_named(ant: Caller) -> None:
    ids = [callers.stored(ant, title=f"task {number}", text="x" * 600) for number in range(4)]
    answer = many(ant, *ids, budget=2_000)
    shown = [row["entity_id"] for row in answer["entities"]]
    assert 0 < len(shown) < 4
    assert shown + answer["left_out"] == ids
    first = many(ant, callers.stored(ant, title="long", text="x" * 5_000), budget=1_000)
    assert len(first["entities"]) == 1


def test_detailed_shows_what_is_not_declared_and_when_it_was_made(ant: Caller) -> None:
    [row] = many(ant, callers.stored(ant, title="x"), response_format="detailed")["entities"]
    assert row["raw_fragments"] == {}
    assert row["created_at"] <= row["updated_at"]


@pytest.mark.parametrize("size", [1, 50])
def test_many_take_as_many_queries_as_one(ant: Caller, size: int, django_assert_num_queries: Any) -> None:
    ids = [callers.stored(ant, title=f"task {number}") for number in range(size)]
    with django_assert_num_queries(2):
        many(ant, *ids)
    callers.merged(ids[0], callers.stored(ant, title="kept"))
    with django_assert_num_queries(3):
        many(ant, *ids)

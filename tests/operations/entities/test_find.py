from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from neotoma.operations.invoke import call
from neotoma.substrate import cursors, schema, search
from neotoma.substrate.cursors import encode_cursor
from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.schema import EntityType, register_type
from tests.support import callers

pytestmark = pytest.mark.django_db

BEYOND = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]


def refused(**arguments: Any) -> str:
    with pytest.raises(InvalidInput) as info:
        call("retrieve_entities", arguments, callers.agent())
    return str(info.value.details["fields"][0]["path"])


@pytest.mark.parametrize("moment", BEYOND)
@pytest.mark.parametrize("name", ["updated_since", "created_since"])
def test_a_time_that_utc_lacks_is_refused_by_name(name: str, moment: str) -> None:
    assert refused(**{name: moment}) == name


@pytest.mark.parametrize("name", [":0", '"', "task OR note", "Task", "", "é"])
def test_a_type_that_cannot_be_one_is_refused_by_name(name: str) -> None:
    assert refused(entity_types=["task", name], search="needle") == "entity_types.1"


@pytest.mark.parametrize("moment", [*BEYOND, "2026-01-01T00:00:00", "soon"])
def test_a_forged_cursor_is_refused(moment: str) -> None:
    assert refused(cursor=encode_cursor(moment, "ent_0")) == "cursor"


def test_what_others_stored_does_not_crowd_out_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "WINDOW", 2)
    reporter, agent = callers.reporter(), callers.agent()
    mine = callers.stored(reporter, title="needle mine")
    for number in range(3):
        callers.stored(agent, title=f"needle {number}")
    found = call("retrieve_entities", {"search": "needle"}, reporter)
    assert ([row["entity_id"] for row in found["entities"]], found["total"]) == ([mine], 1)


def test_other_types_do_not_crowd_out_the_types_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "WINDOW", 2)
    agent = callers.agent()
    wanted = {callers.stored(agent, entity_type=kind, title="needle") for kind in ("task", "note")}
    for kind in ("contact", "place", "book"):
        callers.stored(agent, entity_type=kind, title="needle")
    found = call("retrieve_entities", {"search": "needle", "entity_types": ["task", "note"]}, agent)
    assert {row["entity_id"] for row in found["entities"]} == wanted


def test_what_was_deleted_does_not_crowd_out_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "WINDOW", 2)
    agent = callers.agent()
    alive = callers.stored(agent, title="needle alive")
    for number in range(3):
        call("delete_entity", {"entity_id": callers.stored(agent, title=f"needle {number}")}, agent)
    found = call("retrieve_entities", {"search": "needle"}, agent)
    assert ([row["entity_id"] for row in found["entities"]], found["total"]) == ([alive], 1)


@pytest.fixture
def bill(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bill(BaseModel):
        number: str
        total: float | None = None
        tags: list[str] | None = None
        secret: str | None = None

    monkeypatch.setattr(schema, "_TYPES", dict(schema._TYPES))
    indexed = frozenset({"number", "total", "tags"})
    register_type(
        EntityType(
            "bill", "A bill.", model=Bill, identity=(("number",),), indexed=indexed, hidden=frozenset({"secret"})
        )
    )


def bills(**arguments: Any) -> dict[str, Any]:
    return call("retrieve_entities", {"entity_type": "bill", **arguments}, callers.agent())


def numbers(**arguments: Any) -> list[str]:
    return [row["snapshot"]["number"] for row in bills(**arguments)["entities"]]


@pytest.mark.usefixtures("bill")
def test_a_list_is_ordered_by_any_field_of_its_type_page_by_page() -> None:
    agent = callers.agent()
    for number, total in (("b", 2), ("a", 30), ("c", None), ("\U0001f41c" * 150, 10.5)):
        callers.stored(agent, entity_type="bill", number=number, total=total)
    ant = "\U0001f41c" * 150
    assert numbers(sort_by="total", sort_order="asc") == ["b", ant, "a", "c"]
    assert numbers(sort_by="total", sort_order="desc") == ["a", ant, "b", "c"]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = bills(sort_by="number", sort_order="desc", limit=1, **cursor)
        seen += [row["snapshot"]["number"] for row in page["entities"]]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == [ant, "c", "b", "a"]
    for arguments in ({"sort_by": "secret"}, {"sort_by": "nothing"}, {"sort_by": "total", "entity_type": None}):
        assert refused(**{"entity_type": "bill", **arguments}) == "sort_by"


@pytest.mark.usefixtures("bill")
def test_filters_narrow_together_and_compare_what_is_of_one_kind() -> None:
    agent = callers.agent()
    for number, total, tags in (("Alpha", 1, ["x", "y"]), ("beta", 20, ["y"]), ("alphabet", 3, [])):
        callers.stored(agent, entity_type="bill", number=number, total=total, tags=tags)

    def found(**filters: tuple[str, Any]) -> set[str]:
        return set(numbers(filters={field: {"op": op, "value": value} for field, (op, value) in filters.items()}))

    assert found(number=("contains", "ALPHA")) == {"Alpha", "alphabet"}
    assert found(tags=("contains", "y")) == {"Alpha", "beta"}
    assert found(tags=("contains", "y"), total=("gt", 1)) == {"beta"}
    assert found(total=("in", [1, 3.0])) == {"Alpha", "alphabet"}
    assert found(total=("gte", "1")) == set()
    assert found(secret_to_nobody=("eq", None)) == {"Alpha", "beta", "alphabet"}
    assert refused(entity_type="bill", filters={"secret": {"op": "eq", "value": "x"}}) == "filters.secret"
    assert refused(entity_type="bill", filters={"total": {"op": "in", "value": 1}}) == "filters.total.value"
    assert refused(entity_type="bill", filters={"number": {"op": "eq", "value": "x" * 301}}) == "filters.number.value"


def test_a_page_ends_at_the_budget_and_the_next_goes_on() -> None:
    agent = callers.agent()
    ids = [callers.stored(agent, title=f"t{number}", text="x" * 900) for number in range(6)]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = call("retrieve_entities", {"limit": 100, "budget": 2_500, **cursor}, agent)
        assert len(str(page)) < 3_000
        seen += [row["entity_id"] for row in page["entities"]]
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == ids[::-1]
    assert len(call("retrieve_entities", {"budget": 1_000}, agent)["entities"]) == 1


def test_the_total_is_exact_until_it_is_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = callers.agent()
    for number in range(4):
        callers.stored(agent, title=f"t{number}")
    monkeypatch.setattr(cursors, "TOTAL_CAP", 4)
    answer = call("retrieve_entities", {"limit": 1}, agent)
    assert (answer["total"], answer["total_capped"]) == (4, False)
    monkeypatch.setattr(cursors, "TOTAL_CAP", 3)
    answer = call("retrieve_entities", {"limit": 1}, agent)
    assert (answer["total"], answer["total_capped"]) == (3, True)


def test_a_text_that_was_cleared_is_no_longer_found() -> None:
    agent = callers.agent()
    task = callers.stored(agent, title="t", note="needle")
    callers.stored(agent, title="t", note=None)
    assert call("retrieve_entities", {"search": "needle"}, agent)["entities"] == []
    callers.stored(agent, title="t", note="needle again")
    assert [row["entity_id"] for row in call("retrieve_entities", {"search": "needle"}, agent)["entities"]] == [task]


@pytest.mark.usefixtures("bill")
@pytest.mark.parametrize("size", [1, 40])
def test_the_number_of_queries_does_not_grow(size: int, django_assert_max_num_queries: Any) -> None:
    agent = callers.agent()
    many = [{"entity_type": "bill", "number": f"n{number}", "total": number} for number in range(size)]
    call("store", {"entities": many}, agent)
    filters = {"number": {"op": "contains", "value": "n"}}
    with django_assert_max_num_queries(3):
        call("retrieve_entities", {"entity_type": "bill", "limit": 100, "filters": filters}, agent)
    with django_assert_max_num_queries(6):
        arguments = {"entity_type": "bill", "limit": 100, "sort_by": "total", "filters": filters}
        call("retrieve_entities", arguments, agent)

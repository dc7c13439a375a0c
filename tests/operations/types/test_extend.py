from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import FieldValue
from tests.support import callers

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _book() -> None:
    fields = [{"name": "title", "type": "string", "description": "As printed."}, {"name": "pages", "type": "number"}]
    book = {"entity_type": "book", "description": "Something to read.", "fields": fields}
    call("register_entity_type", book, callers.operator())


def extend(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return call("extend_entity_type", {"entity_type": "book", "fields": list(fields), **more}, callers.operator())


def snapshot(entity_id: str) -> dict[str, Any]:
    return call("retrieve_entity_snapshot", {"entity_id": entity_id}, callers.agent())


def found(**filters: Any) -> set[str]:
    wanted = {name: {"op": "eq", "value": value} for name, value in filters.items()}
    answer = call("retrieve_entities", {"entity_type": "book", "filters": wanted}, callers.agent())
    return {row["entity_id"] for row in answer["entities"]}


def test_values_that_waited_aside_move_into_the_snapshot() -> None:
    agent = callers.agent()
    book = callers.stored(agent, entity_type="book", title="Dune", mood="dry", year=1965)
    callers.stored(agent, entity_type="book", title="Emma")
    assert snapshot(book)["raw_fragments"] == {"mood": "dry", "year": 1965}
    made = extend({"name": "mood", "type": "string"})
    assert (made["action"], made["version"], made["brought_in_line"]) == ("extended", 2, 1)
    assert snapshot(book)["snapshot"] == {"title": "Dune", "mood": "dry"}
    assert snapshot(book)["raw_fragments"] == {"year": 1965}


def test_reducers_of_new_fields_hold_for_older_facts_too() -> None:
    agent = callers.agent()
    book = callers.stored(agent, entity_type="book", title="Dune", tags=["sand"])
    callers.stored(agent, entity_type="book", title="Dune", tags=["worms"])
    assert snapshot(book)["raw_fragments"] == {"tags": ["worms"]}
    extend({"name": "tags", "type": "array", "reducer": "merge_array"})
    assert snapshot(book)["snapshot"]["tags"] == ["sand", "worms"]


def test_a_field_that_becomes_indexed_is_found_in_what_was_stored_before() -> None:
    book = callers.stored(callers.agent(), entity_type="book", title="Dune", pages=412)
    callers.stored(callers.agent(), entity_type="book", title="Emma", pages=474)
    assert not FieldValue.objects.exists()
    extend({"name": "pages", "type": "number", "indexed": True})
    assert FieldValue.objects.filter(field="pages").count() == 2
    assert found(pages=412) == {book}


def test_times_are_compared_as_moments_whatever_their_zone() -> None:
    extend({"name": "lent_at", "type": "datetime", "indexed": True})
    book = callers.stored(callers.agent(), entity_type="book", title="Dune", lent_at="2026-01-31T12:00:00+02:00")
    callers.stored(callers.agent(), entity_type="book", title="Emma", lent_at="2026-01-31T11:00:00Z")
    assert found(lent_at="2026-01-31T10:00:00Z") == {book}
    assert snapshot(book)["snapshot"]["lent_at"] == "2026-01-31T12:00:00+02:00"


@pytest.mark.parametrize(
    ("field", "attribute"),
    [
        ({"name": "pages", "type": "string"}, "type"),
        ({"name": "pages", "type": "number", "reducer": "most_specific"}, "reducer"),
    ],
)
def test_what_would_change_the_meaning_of_facts_is_refused(field: dict[str, Any], attribute: str) -> None:
    with pytest.raises(Refusal) as info:
        extend(field)
    assert (info.value.status, info.value.error_code) == (409, "ENTITY_TYPE_INCOMPATIBLE")
    [conflict] = info.value.details["conflicts"]
    assert (conflict["field"], conflict["attribute"]) == ("pages", attribute)


def test_what_is_not_said_stays_as_it_is() -> None:
    extend({"name": "pages", "type": "number", "indexed": True})
    made = extend({"name": "title", "type": "string"}, {"name": "pages", "type": "number"})
    assert (made["action"], made["version"]) == ("unchanged", 2)
    assert made["fields"]["title"]["description"] == "As printed."
    assert made["fields"]["pages"]["indexed"] is True


def test_a_type_becomes_strict_for_what_comes() -> None:
    book = callers.stored(callers.agent(), entity_type="book", title="Dune", mood="dry")
    extend(strict=True, description="To be read.")
    with pytest.raises(Refusal):
        callers.stored(callers.agent(), entity_type="book", title="Emma", mood="wet")
    assert snapshot(book)["raw_fragments"] == {"mood": "dry"}


def test_a_type_that_nobody_defined_is_not_extended() -> None:
    with pytest.raises(Refusal) as info:
        call("extend_entity_type", {"entity_type": "task", "fields": []}, callers.operator())
    assert (info.value.status, info.value.error_code) == (404, "NOT_FOUND")
    assert "register_entity_type" in info.value.hint


def test_a_dry_run_and_a_strict_call_know_the_definition() -> None:
    entity = {"entity_type": "book", "title": "Dune", "mood": "dry"}
    planned = call("store", {"entities": [entity], "commit": False}, callers.agent())
    assert planned["unknown_fields"] == ["mood"]
    extend({"name": "mood", "type": "string"})
    planned = call("store", {"entities": [entity], "commit": False, "strict": True}, callers.agent())
    assert planned["unknown_fields"] == []

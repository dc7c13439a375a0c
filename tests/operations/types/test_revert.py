from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.errors import Refusal
from tests.support import callers

pytestmark = pytest.mark.django_db


@pytest.fixture
def book() -> str:
    """A book, stored by a definition in its second version."""
    boss = callers.operator()
    fields = [{"name": "title", "type": "string"}]
    call("register_entity_type", {"entity_type": "book", "description": "To read.", "fields": fields}, boss)
    call("extend_entity_type", {"entity_type": "book", "fields": [{"name": "mood", "type": "string"}]}, boss)
    return callers.stored(callers.agent(), entity_type="book", title="Dune", mood="dry", year=1965)


def revert(version: int) -> dict[str, Any]:
    return call("revert_entity_type", {"entity_type": "book", "version": version}, callers.operator())


def snapshot(entity_id: str) -> dict[str, Any]:
    return call("retrieve_entity_snapshot", {"entity_id": entity_id}, callers.agent())


def test_an_earlier_version_holds_again_and_can_be_undone(book: str) -> None:
    made = revert(1)
    assert (made["action"], made["version"], made["brought_in_line"]) == ("reverted", 3, 1)
    assert snapshot(book)["snapshot"] == {"title": "Dune"}
    assert snapshot(book)["raw_fragments"] == {"mood": "dry", "year": 1965}
    assert revert(2)["version"] == 4
    assert snapshot(book)["snapshot"] == {"title": "Dune", "mood": "dry"}


def test_without_a_definition_every_field_is_taken_as_it_comes(book: str) -> None:
    assert revert(0)["origin"] == "undefined"
    assert snapshot(book)["snapshot"] == {"title": "Dune", "mood": "dry", "year": 1965}
    assert revert(0)["action"] == "unchanged"
    assert revert(2)["version"] == 3
    assert snapshot(book)["raw_fragments"] == {"year": 1965}


def test_a_type_is_defined_anew_after_its_definition_was_taken_away(book: str) -> None:
    revert(0)
    fields = [{"name": "year", "type": "number"}]
    again = {"entity_type": "book", "description": "Anew.", "fields": fields}
    made = call("register_entity_type", again, callers.operator())
    assert (made["action"], made["version"]) == ("registered", 3)
    assert snapshot(book)["snapshot"] == {"year": 1965}


def test_the_version_that_holds_is_not_gone_back_to(book: str) -> None:
    assert (revert(2)["action"], revert(2)["version"]) == ("unchanged", 2)


@pytest.mark.parametrize(("name", "version"), [("book", 9), ("task", 0), ("task", 1)])
def test_a_version_that_never_was_is_not_found(book: str, name: str, version: int) -> None:
    with pytest.raises(Refusal) as info:
        call("revert_entity_type", {"entity_type": name, "version": version}, callers.operator())
    assert (info.value.status, info.value.error_code) == (404, "NOT_FOUND")

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from neotoma.operations.invoke import call
from neotoma.substrate.schema import declared_types
from tests.support import callers

pytestmark = pytest.mark.django_db

BOOK = {"entity_type": "book", "description": "Something to read.", "fields": [{"name": "title", "type": "string"}]}


def listed(caller: Any = None, **more: Any) -> dict[str, str]:
    answer = call("list_entity_types", {"limit": 100, **more}, caller or callers.agent())
    return {row["entity_type"]: row["origin"] for row in answer["entity_types"]}


def test_built_in_defined_and_used_types_are_listed() -> None:
    call("register_entity_type", BOOK, callers.operator())
    callers.stored(callers.agent(), entity_type="task", title="dig")
    callers.stored(callers.agent(), entity_type="book", title="Dune")
    assert listed() == {**dict.fromkeys(declared_types(), "built_in"), "book": "defined", "task": "undefined"}


def test_a_keyword_is_looked_for_in_names_and_descriptions() -> None:
    call("register_entity_type", BOOK, callers.operator())
    callers.stored(callers.agent(), entity_type="bookmark", title="dig")
    assert listed(keyword="BOOK") == {"book": "defined", "bookmark": "undefined"}
    assert listed(keyword="to read") == {"book": "defined"}


def test_pages_hold_every_type_once() -> None:
    for name in ("apple", "pear", "zebra"):
        callers.stored(callers.agent(), entity_type=name, title="x")
    whole, found, arguments = list(listed()), [], {"limit": 2}
    while True:
        answer = call("list_entity_types", arguments, callers.agent())
        found += [row["entity_type"] for row in answer["entity_types"]]
        assert answer["total"] == len(whole)
        if "next_cursor" not in answer:
            break
        arguments["cursor"] = answer["next_cursor"]
    assert found == whole


def test_types_of_what_one_may_not_see_are_not_listed() -> None:
    callers.conceal(callers.stored(callers.agent(), entity_type="secret_plan", title="x"))
    callers.stored(callers.agent(), entity_type="task", title="x")
    reporter = callers.reporter()
    callers.stored(reporter, entity_type="remark", title="x")
    assert "secret_plan" in listed(callers.operator())
    assert "secret_plan" not in listed()
    assert {name for name, origin in listed(reporter).items() if origin == "undefined"} == {"remark"}


@pytest.mark.parametrize("types", [1, 20])
def test_a_list_takes_as_many_queries_however_many_types(types: int) -> None:
    agent = callers.agent()
    for number in range(types):
        callers.stored(agent, entity_type=f"kind_{number}", title="x")
    with CaptureQueriesContext(connection) as queries:
        listed(agent)
    assert len(queries) == 2  # the revision of the catalogue, and the types in use


def test_hidden_fields_are_not_described() -> None:
    described = call("describe_entity_type", {"entity_type": "subscription"}, callers.agent())
    hidden = declared_types()["subscription"].hidden
    assert hidden
    assert described["fields"]
    assert hidden.isdisjoint(described["fields"])


def test_an_undefined_type_is_described_as_such() -> None:
    described = call("describe_entity_type", {"entity_type": "task"}, callers.agent())
    assert (described["origin"], described["fields"], described["strict"]) == ("undefined", {}, False)
    assert ["title"] in described["identity"]

from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.invoke import call
from neotoma.operations.models import AuditEntry
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Entity, Event
from neotoma.substrate.schema import declared_types
from tests.support import callers

pytestmark = pytest.mark.django_db

BOOK: dict[str, Any] = {
    "entity_type": "book",
    "description": "Something to read.",
    "fields": [
        {"name": "title", "type": "string", "description": "As printed."},
        {"name": "pages", "type": "number", "indexed": True},
        {"name": "tags", "type": "array", "reducer": "merge_array"},
        {"name": "read_on", "type": "date"},
    ],
    "identity": [["title"]],
}


def register(**more: Any) -> dict[str, Any]:
    return call("register_entity_type", {**BOOK, **more}, callers.operator())


def refused(**more: Any) -> Refusal:
    with pytest.raises(Refusal) as info:
        register(**more)
    return info.value


def snapshot(entity_id: str) -> dict[str, Any]:
    return call("retrieve_entity_snapshot", {"entity_id": entity_id}, callers.agent())


def test_a_type_is_defined_and_described() -> None:
    made = register()
    assert (made["action"], made["version"], made["origin"], made["brought_in_line"]) == ("registered", 1, "defined", 0)
    described = call("describe_entity_type", {"entity_type": "book"}, callers.agent())
    assert described["fields"]["pages"] == {
        "type": "number",
        "description": "",
        "reducer": "last_write",
        "indexed": True,
    }
    assert (described["identity"], described["strict"], described["catching_up"]) == ([["title"]], False, False)
    assert AuditEntry.objects.get(operation="register_entity_type").details["version"] == 1
    assert [event.event_type for event in Event.objects.filter(entity_type="entity_type")] == [
        "entity.created",
        "observation.created",
    ]


def test_defining_it_the_same_again_changes_nothing() -> None:
    register()
    assert (register()["action"], register()["version"]) == ("unchanged", 1)


def test_a_key_replays_the_answer() -> None:
    answers = [register(idempotency_key="once") for _ in range(2)]
    assert [answer["replayed"] for answer in answers] == [False, True]
    assert answers[0]["action"] == answers[1]["action"] == "registered"


def test_defining_it_differently_is_refused() -> None:
    register()
    refusal = refused(strict=True)
    assert (refusal.status, refusal.error_code, refusal.details["version"]) == (409, "ENTITY_TYPE_INCOMPATIBLE", 1)


@pytest.mark.parametrize("name", sorted(declared_types()))
def test_a_built_in_type_is_not_defined_anew(name: str) -> None:
    for operation, arguments in (
        ("register_entity_type", {**BOOK, "entity_type": name}),
        ("extend_entity_type", {"entity_type": name, "fields": BOOK["fields"]}),
        ("revert_entity_type", {"entity_type": name, "version": 0}),
    ):
        with pytest.raises(Refusal) as info:
            call(operation, arguments, callers.operator())
        assert (info.value.status, info.value.error_code) == (409, "ENTITY_TYPE_BUILT_IN")


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ([{"name": "a", "type": "string"}, {"name": "a", "type": "number"}], "fields.1.name"),
        ([{"name": "entity_type", "type": "string"}], "fields.0.name"),
        ([{"name": "a", "type": "string", "reducer": "merge_array"}], "fields.a.reducer"),
        ([{"name": "a", "type": "array", "indexed": True}], "fields.a.indexed"),
        ([{"name": "b", "type": "string"}], "identity.0"),
        ([{"name": "A b", "type": "string"}], "fields.0.name"),
        ([{"name": "a", "type": "text"}], "fields.0.type"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(fields: list[dict[str, Any]], path: str) -> None:
    refusal = refused(fields=fields, identity=[["a"]])
    assert (refusal.status, refusal.details["fields"][0]["path"]) == (422, path)
    assert not Entity.objects.filter(entity_type="entity_type").exists()


def test_a_definition_is_written_by_its_own_operations_alone() -> None:
    register()
    with pytest.raises(Refusal) as info:
        callers.stored(callers.operator(), entity_type="entity_type", name="book")
    assert info.value.error_code == "ERR_MANAGED_TYPE"


def test_facts_are_checked_reduced_and_named_by_the_definition() -> None:
    register()
    agent = callers.agent()
    book = callers.stored(agent, entity_type="book", title="Dune", pages=412, tags=["sand"])
    assert callers.stored(agent, entity_type="book", title="  DUNE ", tags=["worms"], mood="dry") == book
    read = snapshot(book)
    assert (read["snapshot"]["tags"], read["raw_fragments"]) == (["sand", "worms"], {"mood": "dry"})
    for field, value in (("pages", "many"), ("pages", True), ("read_on", "soon"), ("read_on", "2026-02-30")):
        with pytest.raises(Refusal) as info:
            callers.stored(agent, entity_type="book", title="Dune", **{field: value})
        assert (info.value.status, info.value.details["fields"][0]["path"]) == (422, f"entities.0.{field}")


def test_a_strict_type_refuses_what_it_does_not_define_by_name() -> None:
    register(strict=True)
    with pytest.raises(Refusal) as info:
        callers.stored(callers.agent(), entity_type="book", title="Dune", mood="dry")
    assert info.value.details["fields"] == [{"path": "entities.0.mood", "problem": "not declared"}]
    assert "extend" in info.value.hint


def test_what_was_stored_before_follows_and_nothing_is_lost() -> None:
    agent = callers.agent()
    book = callers.stored(agent, entity_type="book", title="Dune", pages=412, mood="dry", read_on="soon")
    assert snapshot(book)["snapshot"]["mood"] == "dry"
    made = register()
    assert made["brought_in_line"] == 1
    warnings = [(warning["code"], warning.get("field")) for warning in made["warnings"]]
    assert warnings == [("VALUES_LEFT_ASIDE", "read_on"), ("IDENTITY_CHANGED", None)]
    read = snapshot(book)
    assert read["snapshot"] == {"title": "Dune", "pages": 412}
    assert read["raw_fragments"] == {"mood": "dry", "read_on": "soon"}
    found = call("retrieve_entities", {"entity_type": "book", "search": "dry"}, agent)
    assert [row["entity_id"] for row in found["entities"]] == [book]


def test_only_operators_define_types() -> None:
    for caller in (callers.agent(), callers.agent("maintain"), callers.reporter()):
        with pytest.raises(Refusal) as info:
            call("register_entity_type", BOOK, caller)
        assert info.value.error_code == "INSUFFICIENT_SCOPE"

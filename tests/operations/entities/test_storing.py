"""What `store` takes: entities and edges at once, rehearsals, expectations, new ones, strictness, weights."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from neotoma.operations.invoke import Caller, call
from neotoma.operations.models import AuditEntry, Call
from neotoma.substrate import schema
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Entity, Event, Observation, Relationship
from neotoma.substrate.schema import EntityType, register_type
from tests.support import callers

pytestmark = pytest.mark.django_db

TABLES = (Entity, Observation, Relationship, Event, Call, AuditEntry)


@pytest.fixture
def ant() -> Caller:
    return callers.agent()


@pytest.fixture
def bill(monkeypatch: pytest.MonkeyPatch) -> EntityType:
    class Bill(BaseModel):
        number: str
        total: int | None = None
        best: int | None = None

    monkeypatch.setattr(schema, "_TYPES", dict(schema._TYPES))
    return register_type(
        EntityType("bill", "A bill.", model=Bill, identity=(("number",),), reducers={"best": "highest_priority"})
    )


def store(caller: Caller, *entities: dict[str, Any], **more: Any) -> dict[str, Any]:
    return call("store", {"entities": list(entities), **more}, caller)


def task(title: str, **fields: Any) -> dict[str, Any]:
    return {"entity_type": "task", "title": title, **fields}


def rows() -> list[int]:
    return [model._default_manager.count() for model in TABLES]


def refused(caller: Caller, *entities: dict[str, Any], **more: Any) -> Refusal:
    before = rows()[:-1]
    with pytest.raises(Refusal) as info:
        store(caller, *entities, **more)
    assert rows()[:-1] == before
    return info.value


def path(refusal: Refusal) -> str:
    return str(refusal.details.get("path") or refusal.details["fields"][0]["path"])


def test_edges_lead_between_entities_of_the_call_and_stored_ones(ant: Caller) -> None:
    held = callers.stored(ant, title="held")
    edges = [
        {"relationship_type": "PART_OF", "source_index": 0, "target_index": 1},
        {"relationship_type": "REFERS_TO", "source_index": 1, "target_entity_id": held, "metadata": {"why": "x"}},
        {"relationship_type": "REFERS_TO", "source_entity_id": held, "target_index": 0},
    ]
    answer = store(ant, task("a"), task("b"), relationships=edges)
    a, b = (row["entity_id"] for row in answer["entities"])
    stated = [
        (row.source_id, row.relationship_type, row.target_id)
        for pk in answer["relationships_created"]
        for row in Relationship.objects.filter(pk=pk)
    ]
    assert stated == [(a, "PART_OF", b), (b, "REFERS_TO", held), (held, "REFERS_TO", a)]
    assert Relationship.objects.get(source=b).metadata == {"why": "x"}


@pytest.mark.parametrize(
    ("edge", "named"),
    [
        ({"source_index": 0, "target_index": 2}, "relationships.0.target_index"),
        ({"source_index": -1, "target_index": 0}, "relationships.0.source_index"),
        ({"source_index": 0}, "relationships.0.target_index"),
        ({"source_index": 0, "source_entity_id": "x", "target_index": 1}, "relationships.0.source_index"),
        ({"source_index": 0, "target_entity_id": "not-an-id"}, "relationships.0.target_entity_id"),
        ({"source_index": 0, "target_entity_id": "ent_" + "0" * 24}, "relationships.0.target_entity_id"),
        ({"source_entity_id": "ent_" + "0" * 24, "target_index": 0}, "relationships.0.source_entity_id"),
        ({"source_index": 0, "target_index": 0}, "relationships.0"),
        ({"source_index": 0, "target_index": 1, "relationship_type": "likes"}, "relationships.0.relationship_type"),
        ({"source_index": 0, "target_index": 1, "weight": 3}, "relationships.0.weight"),
    ],
)
def test_an_edge_that_leads_nowhere_is_refused_by_path_and_nothing_is_stored(
    ant: Caller, edge: dict[str, Any], named: str
) -> None:
    refusal = refused(ant, task("a"), task("b"), relationships=[{"relationship_type": "REFERS_TO", **edge}])
    assert (refusal.status, path(refusal)) == (422, named)


def test_a_rehearsal_tells_what_would_happen_and_leaves_nothing(ant: Caller) -> None:
    held = callers.stored(ant, title="held", due="Monday")
    entities = [task("held", due=None), task("new"), task("held", due=None)]
    edge = {"relationship_type": "REFERS_TO", "source_index": 0, "target_index": 1}
    before = rows()
    planned = store(ant, *entities, relationships=[edge], commit=False, idempotency_key="k")
    assert rows() == before
    assert [row["action"] for row in planned["entities"]] == ["would_update", "would_create", "unchanged"]
    assert [w["code"] for w in planned["entities"][0]["warnings"]] == ["NULL_CLEARED_FIELD"]
    assert "observation_id" not in planned["entities"][0]
    assert planned["relationships_created"] == []
    done = store(ant, *entities, relationships=[edge], idempotency_key="k")
    assert [row["entity_id"] for row in done["entities"]] == [row["entity_id"] for row in planned["entities"]]
    assert done["entities"][0]["entity_id"] == held
    assert (done["replayed"], len(done["relationships_created"])) == (False, 1)
    again = store(ant, *entities, relationships=[edge], commit=False, idempotency_key="k")
    assert (again["replayed"], again["entities"][1]["action"]) == (False, "unchanged")


def test_a_rehearsal_refuses_what_the_call_would_refuse(ant: Caller) -> None:
    edge = {"relationship_type": "REFERS_TO", "source_index": 0, "target_index": 7}
    assert path(refused(ant, task("a"), relationships=[edge], commit=False)) == "relationships.0.target_index"
    assert path(refused(ant, task("a", expect={"n": 1}), commit=False)) == "entities.0.expect.n"


def test_what_is_expected_is_compared_before_anything_is_stored(ant: Caller) -> None:
    callers.stored(ant, title="t", n=1)
    refusal = refused(ant, task("other"), task("t", n=3, expect={"n": 2}))
    assert (refusal.status, refusal.error_code, path(refusal)) == (409, "EXPECTATION_FAILED", "entities.1.expect.n")
    assert (refusal.details["expected"], refusal.details["current"]) == (2, 1)
    assert refused(ant, task("t", expect={"n": True})).status == 409
    assert store(ant, task("t", n=3, expect={"n": 1, "absent": None}))["entities"][0]["action"] == "updated"


def test_a_target_takes_facts_whatever_they_call_it(ant: Caller) -> None:
    held = callers.stored(ant, title="held")
    [row] = store(ant, task("another name", target_id=held))["entities"]
    assert (row["entity_id"], row["action"]) == (held, "updated")
    unknown = refused(ant, task("x"), task("y", target_id="ent_" + "0" * 24))
    assert (unknown.status, path(unknown)) == (404, "entities.1.target_id")
    wrong = refused(ant, {"entity_type": "note", "target_id": held, "title": "x"})
    assert (wrong.status, path(wrong)) == (422, "entities.0")


def test_a_new_one_is_made_whatever_is_called_the_same(ant: Caller) -> None:
    held = callers.stored(ant, title="t")
    made = {store(ant, task("t", create_new=True))["entities"][0]["entity_id"] for _ in range(2)}
    assert len(made | {held}) == 3
    assert callers.stored(ant, title="t") == held
    again = [store(ant, task("t", create_new=True), idempotency_key="k")["entities"][0]["entity_id"] for _ in "ab"]
    assert again[0] == again[1]
    assert path(refused(ant, task("t", create_new=True, target_id=held))) == "entities.0.create_new"


@pytest.mark.usefixtures("bill")
def test_strict_refuses_what_is_not_declared_and_names_all_of_it(ant: Caller) -> None:
    odd = {"entity_type": "bill", "number": "1", "colour": "red", "smell": "new"}
    refusal = refused(ant, task("t", anything=1), odd, strict=True)
    assert [field["path"] for field in refusal.details["fields"]] == ["entities.1.colour", "entities.1.smell"]
    answer = store(ant, odd)
    assert answer["unknown_fields"] == ["colour", "smell"]
    kept = {"dropped": False, "stored_in": "raw_fragments", "declare_with": "extend_entity_type"}
    assert [(w["code"], w["field"], w["details"]) for w in answer["warnings"]] == [
        ("UNKNOWN_FIELD", name, kept) for name in ("colour", "smell")
    ]


@pytest.mark.usefixtures("bill")
def test_where_weight_counts_the_heavier_fact_wins_and_the_lighter_is_told(ant: Caller) -> None:
    store(ant, {"entity_type": "bill", "number": "1", "best": 1}, source_priority=500, observation_source="human")
    [row] = store(ant, {"entity_type": "bill", "number": "1", "best": 2}, source_priority=200)["entities"]
    assert [(w["code"], w["field"]) for w in row["warnings"]] == [("OUTRANKED_FIELD", "best")]
    [row] = store(ant, {"entity_type": "bill", "number": "1", "best": 3}, source_priority=500)["entities"]
    assert row["warnings"] == []
    listed = call("list_observations", {"entity_id": row["entity_id"], "order": "oldest"}, ant)["observations"]
    assert [(one["source_priority"], one["observation_source"]) for one in listed] == [
        (500, "human"),
        (200, "llm_summary"),
        (500, "llm_summary"),
    ]
    assert refused(ant, task("t"), source_priority=1_000).status == 422
    assert refused(ant, task("t"), observation_source="rumour").status == 422


def test_facts_about_what_is_deleted_say_so(ant: Caller) -> None:
    held = callers.stored(ant, title="t")
    call("delete_entity", {"entity_id": held}, ant)
    [row] = store(ant, task("t", n=1))["entities"]
    assert [w["code"] for w in row["warnings"]] == ["ENTITY_DELETED"]
    call("restore_entity", {"entity_id": held}, ant)
    assert call("retrieve_entity_snapshot", {"entity_id": held}, ant)["snapshot"] == {"title": "t", "n": 1}

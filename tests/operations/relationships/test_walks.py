from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from neotoma.operations.invoke import call
from neotoma.operations.room import MOST
from neotoma.substrate.errors import Refusal
from tests.support import callers

pytestmark = pytest.mark.django_db

WALKS = ("retrieve_related_entities", "retrieve_graph_neighborhood")


@pytest.fixture
def line() -> list[str]:
    """Four tasks; each refers to the next."""
    agent = callers.agent()
    tasks = [{"entity_type": "task", "title": f"task {number}"} for number in range(4)]
    edges = [{"relationship_type": "REFERS_TO", "source_index": n, "target_index": n + 1} for n in range(3)]
    stored = call("store", {"entities": tasks, "relationships": edges}, agent)["entities"]
    return [entity["entity_id"] for entity in stored]


def walked(name: str, entity_id: str, caller: Any = None, **more: Any) -> dict[str, Any]:
    return call(name, {"entity_id": entity_id, **more}, caller or callers.agent())


def ids(answer: dict[str, Any]) -> list[str]:
    return [entity["entity_id"] for entity in answer["entities"]]


def test_related_entities_come_with_their_fields_nearest_first(line: list[str]) -> None:
    answer = walked("retrieve_related_entities", line[0], max_hops=2)
    assert [(e["name"], e["hops"], e["snapshot"]) for e in answer["entities"]] == [
        ("task 1", 1, {"title": "task 1"}),
        ("task 2", 2, {"title": "task 2"}),
    ]
    assert [(r["source_entity_id"], r["target_entity_id"]) for r in answer["relationships"]] == [
        (line[0], line[1]),
        (line[1], line[2]),
    ]
    assert answer["truncated"] is False


def test_a_map_holds_the_entity_itself_and_no_fields_unless_asked(line: list[str]) -> None:
    answer = walked("retrieve_graph_neighborhood", line[0], max_hops=1)
    assert answer["entities"] == [
        {"entity_id": line[0], "entity_type": "task", "name": "task 0", "hops": 0},
        {"entity_id": line[1], "entity_type": "task", "name": "task 1", "hops": 1},
    ]
    detailed = walked("retrieve_graph_neighborhood", line[0], max_hops=1, response_format="detailed")
    assert [entity["snapshot"]["title"] for entity in detailed["entities"]] == ["task 0", "task 1"]


def test_a_walk_follows_the_direction_and_types_asked_for(line: list[str]) -> None:
    related = "retrieve_related_entities"
    assert ids(walked(related, line[1], direction="outbound", max_hops=5)) == line[2:]
    assert ids(walked(related, line[1], direction="inbound", max_hops=5)) == line[:1]
    assert ids(walked(related, line[1], relationship_types=["PART_OF"], max_hops=5)) == []
    assert ids(walked(related, line[1], entity_types=["note"], max_hops=5)) == []


@pytest.mark.parametrize("walk", WALKS)
def test_a_budget_is_kept_and_said(line: list[str], walk: str) -> None:
    answer = walked(walk, line[0], max_hops=3, budget=2)
    assert ids(answer)[-2:] == line[1:3]
    assert answer["truncated"] is True


@pytest.mark.parametrize("walk", WALKS)
@pytest.mark.parametrize("how", ["private", "deleted"])
def test_what_one_may_not_see_is_not_walked_through(line: list[str], walk: str, how: str) -> None:
    if how == "private":
        callers.conceal(line[1])
    else:
        call("delete_entity", {"entity_id": line[1]}, callers.agent())
    answer = walked(walk, line[0], max_hops=5)
    assert set(ids(answer)) <= {line[0]}
    assert (answer["relationships"], answer["truncated"]) == ([], False)
    assert line[1] not in str(answer)
    assert line[2] not in str(answer)


@pytest.mark.parametrize("walk", WALKS)
def test_an_edge_that_was_taken_back_leads_nowhere(line: list[str], walk: str) -> None:
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": line[0], "target_entity_id": line[1]}
    call("delete_relationship", edge, callers.agent())
    assert set(ids(walked(walk, line[0], max_hops=5))) <= {line[0]}


@pytest.mark.parametrize("walk", WALKS)
def test_a_merged_id_leads_to_what_it_became(line: list[str], walk: str) -> None:
    old = callers.stored(callers.agent(), title="old")
    callers.merged(old, line[3])
    assert line[2] in ids(walked(walk, old))


@pytest.mark.parametrize("walk", WALKS)
def test_what_one_may_not_see_is_no_place_to_start(line: list[str], walk: str) -> None:
    with pytest.raises(Refusal) as refused:
        walked(walk, line[0], callers.reporter())
    assert refused.value.error_code == "NOT_FOUND"


def test_hidden_fields_are_not_shown() -> None:
    boss = callers.operator()
    task = callers.stored(boss, title="watched")
    watched = {
        "entity_ids": [task],
        "delivery_method": "webhook",
        "webhook_url": "https://hooks.example.com/secret-path",
    }
    made = call("subscribe", watched, boss)["subscription_id"]
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": task, "target_entity_id": made}
    call("create_relationships", {"relationships": [edge]}, boss)
    answer = walked("retrieve_related_entities", task, boss)
    assert ids(answer) == [made]
    assert "secret-path" not in str(answer)


@pytest.mark.parametrize("walk", WALKS)
def test_an_answer_is_never_a_dump(walk: str) -> None:
    agent = callers.agent()
    others = [{"entity_type": "note", "title": f"note {number}", "text": "x" * 900} for number in range(100)]
    edges = [
        {"relationship_type": kind, "source_index": 0, "target_index": number + 1}
        for number in range(100)
        for kind in ("REFERS_TO", "CITES")
    ]
    stored = call(
        "store", {"entities": [{"entity_type": "task", "title": "hub"}, *others], "relationships": edges}, agent
    )
    answer = walked(walk, stored["entities"][0]["entity_id"], budget=100, response_format="detailed")
    assert len(json.dumps(answer, separators=(",", ":"))) <= MOST
    assert answer["truncated"] is True


@pytest.mark.parametrize(("walk", "besides"), [(WALKS[0], 4), (WALKS[1], 3)])
@pytest.mark.parametrize("hops", [1, 3])
def test_a_hop_costs_two_queries(line: list[str], walk: str, besides: int, hops: int) -> None:
    agent = callers.agent()
    with CaptureQueriesContext(connection) as queries:
        walked(walk, line[0], agent, max_hops=hops)
    # The entity, the others, the edges, the types of what is shown; and a hop in two directions.
    assert len(queries) == besides + 2 * hops

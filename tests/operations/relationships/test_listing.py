from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from neotoma.operations.invoke import call
from neotoma.substrate.errors import Refusal
from tests.support import callers

pytestmark = pytest.mark.django_db


def relate(*arcs: tuple[str, str], kind: str = "REFERS_TO") -> list[dict[str, Any]]:
    edges = [{"relationship_type": kind, "source_entity_id": one, "target_entity_id": other} for one, other in arcs]
    made: list[dict[str, Any]] = call("create_relationships", {"relationships": edges}, callers.agent())[
        "relationships"
    ]
    return made


def listed(entity_id: str, caller: Any = None, **more: Any) -> list[str]:
    answer = call("list_relationships", {"entity_id": entity_id, **more}, caller or callers.agent())
    return [row["relationship_id"] for row in answer["relationships"]]


@pytest.fixture
def tasks() -> list[str]:
    return [callers.stored(callers.agent(), title=f"task {number}") for number in range(4)]


def test_edges_are_listed_by_direction_and_type(tasks: list[str]) -> None:
    hub, *others = tasks
    [out] = relate((hub, others[0]))
    [back] = relate((others[1], hub))
    [part] = relate((others[2], hub), kind="PART_OF")
    ids = {name: row["relationship_id"] for name, row in (("out", out), ("back", back), ("part", part))}
    assert listed(hub) == [ids["part"], ids["back"], ids["out"]]
    assert listed(hub, direction="outbound") == [ids["out"]]
    assert listed(hub, direction="inbound") == [ids["part"], ids["back"]]
    assert listed(hub, relationship_type="PART_OF") == [ids["part"]]
    assert listed(hub, relationship_type="PART_OF", direction="outbound") == []


def test_pages_hold_every_edge_once(tasks: list[str]) -> None:
    hub, *others = tasks
    relate(*[(hub, other) for other in others], *[(other, hub) for other in others])
    found: list[str] = []
    arguments: dict[str, Any] = {"entity_id": hub, "limit": 2}
    while True:
        answer = call("list_relationships", arguments, callers.agent())
        found += [row["relationship_id"] for row in answer["relationships"]]
        assert (answer["total"], answer["total_capped"]) == (6, False)
        if "next_cursor" not in answer:
            break
        arguments["cursor"] = answer["next_cursor"]
    assert len(found) == len(set(found)) == 6


def test_an_edge_is_shown_with_what_is_known_of_it(tasks: list[str]) -> None:
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": tasks[0], "target_entity_id": tasks[1]}
    call("create_relationships", {"relationships": [{**edge, "metadata": {"why": "it says so"}}]}, callers.agent())
    [row] = call("list_relationships", {"entity_id": tasks[1]}, callers.agent())["relationships"]
    assert row.items() >= {**edge, "metadata": {"why": "it says so"}, "deleted": False}.items()
    assert row["created_at"].endswith("Z")


def test_what_one_may_not_see_is_neither_listed_nor_counted(tasks: list[str]) -> None:
    hub, private, deleted, shown = tasks
    [_, _, seen] = relate((hub, private), (hub, deleted), (hub, shown))
    callers.conceal(private)
    call("delete_entity", {"entity_id": deleted}, callers.agent())
    answer = call("list_relationships", {"entity_id": hub}, callers.agent())
    assert ([row["relationship_id"] for row in answer["relationships"]], answer["total"]) == (
        [seen["relationship_id"]],
        1,
    )


def test_the_edges_of_what_one_may_not_see_are_not_found(tasks: list[str]) -> None:
    relate((tasks[0], tasks[1]))
    callers.conceal(tasks[0])
    for caller in (callers.agent(), callers.reporter()):
        with pytest.raises(Refusal) as refused:
            listed(tasks[0], caller)
        assert refused.value.error_code == "NOT_FOUND"


def test_a_merged_id_leads_to_the_edges_of_what_it_became(tasks: list[str]) -> None:
    [edge] = relate((tasks[0], tasks[1]))
    callers.merged(tasks[2], tasks[0])
    assert listed(tasks[2]) == [edge["relationship_id"]]


@pytest.mark.parametrize("edges", [1, 20])
def test_a_page_takes_the_same_number_of_queries_however_long(tasks: list[str], edges: int) -> None:
    agent = callers.agent()
    relate(*[(tasks[0], callers.stored(agent, title=f"other {number}")) for number in range(edges)])
    with CaptureQueriesContext(connection) as queries:
        assert len(listed(tasks[0], agent)) == edges
    assert len(queries) == 5  # the entity, two pages, two counts

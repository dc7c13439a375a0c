from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from neotoma.operations.invoke import call
from neotoma.operations.models import AuditEntry
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Event, Relationship
from tests.support import callers

pytestmark = pytest.mark.django_db

NOBODY = "ent_0123456789abcdef01234567"


@pytest.fixture
def tasks() -> list[str]:
    return [callers.stored(callers.agent(), title=f"task {number}") for number in range(3)]


def arc(source: str, target: str, **more: Any) -> dict[str, Any]:
    return {"relationship_type": "REFERS_TO", "source_entity_id": source, "target_entity_id": target, **more}


def state(*edges: dict[str, Any], caller: Any = None) -> list[dict[str, Any]]:
    answer = call("create_relationships", {"relationships": list(edges)}, caller or callers.agent())
    rows: list[dict[str, Any]] = answer["relationships"]
    return rows


def refused(*edges: dict[str, Any], caller: Any = None) -> Refusal:
    with pytest.raises(Refusal) as info:
        state(*edges, caller=caller)
    assert Relationship.objects.count() == 0
    return info.value


def test_duplicates_count_once(tasks: list[str]) -> None:
    rows = state(
        arc(tasks[0], tasks[1], metadata={"a": 1}), arc(tasks[1], tasks[2]), arc(*tasks[:2], metadata={"b": 2})
    )
    assert [(row["source_entity_id"], row["metadata"]) for row in rows] == [
        (tasks[0], {"a": 1, "b": 2}),
        (tasks[1], {}),
    ]
    assert AuditEntry.objects.get(operation="create_relationships").details == {"relationships": 2}
    assert Event.objects.filter(event_type="relationship.created").count() == 2


def test_stating_an_edge_again_changes_nothing_and_tells_nobody(tasks: list[str]) -> None:
    first, again = (state(arc(*tasks[:2], metadata={"a": 1})) for _ in range(2))
    assert first == again
    assert Event.objects.filter(event_type="relationship.created").count() == 1


def test_facts_about_an_edge_add_up(tasks: list[str]) -> None:
    state(arc(*tasks[:2], metadata={"a": 1, "b": 1}))
    [row] = state(arc(*tasks[:2], metadata={"b": 2, "c": 3}))
    assert row["metadata"] == {"a": 1, "b": 2, "c": 3}


def test_every_failing_item_is_named_and_nothing_is_stored(tasks: list[str]) -> None:
    refusal = refused(arc(*tasks[:2]), arc(tasks[0], NOBODY), arc(NOBODY, "no id"))
    assert (refusal.status, refusal.error_code) == (422, "LINK_TARGET_UNKNOWN")
    assert refusal.details["indexes"] == [1, 2]
    assert [field["path"] for field in refusal.details["fields"]] == [
        "relationships.1.target_entity_id",
        "relationships.2.source_entity_id",
        "relationships.2.target_entity_id",
    ]


def test_unknown_and_unreadable_ends_get_the_same_answer(tasks: list[str]) -> None:
    callers.conceal(tasks[1])
    hidden, unknown = (refused(arc(tasks[0], end)).body() for end in (tasks[1], NOBODY))
    assert str(hidden).replace(tasks[1], NOBODY) == str(unknown)


def test_an_edge_leads_between_what_its_ends_were_merged_into(tasks: list[str]) -> None:
    callers.merged(tasks[2], tasks[1])
    callers.merged(tasks[1], tasks[0])
    other = callers.stored(callers.agent(), title="other")
    [row] = state(arc(other, tasks[2]))
    assert (row["source_entity_id"], row["target_entity_id"]) == (other, tasks[0])
    assert state(arc(other, tasks[0])) == [row]


def test_what_was_merged_into_something_invisible_is_unknown(tasks: list[str]) -> None:
    callers.conceal(tasks[1])
    callers.merged(tasks[2], tasks[1])
    assert refused(arc(tasks[0], tasks[2])).error_code == "LINK_TARGET_UNKNOWN"


@pytest.mark.parametrize("edges", [2, 20])
def test_many_edges_take_as_many_queries_as_few(edges: int) -> None:
    agent = callers.agent()
    ids = [callers.stored(agent, title=f"task {number}") for number in range(edges + 1)]
    state(*[arc(ids[0], other) for other in ids[1:]], caller=agent)
    with CaptureQueriesContext(connection) as queries:
        state(*[arc(ids[0], other, metadata={"n": 1}) for other in ids[1:]], caller=agent)
    assert len([q for q in queries if "SAVEPOINT" not in q["sql"]]) <= 10

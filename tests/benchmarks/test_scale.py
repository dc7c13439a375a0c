"""A hundredth of the scale bench: what it loads is what the store would have stored, and no read looks at every row."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from benchmarks import scale_load, scale_reads
from benchmarks.scale_rows import FACTS, TICKET, id_at, open_at, rows_at
from neotoma.operations.invoke import Caller, call
from neotoma.substrate.models import Entity, FieldValue, Observation, Relationship, SearchDocument
from neotoma.substrate.rebuild import rebuild_batch
from tests.support import callers
from tests.support.databases import connected_to, migrated_copy, on_postgres

SIZE = 10_000 if on_postgres() else 2_000
BIG = {
    "substrate_entity",
    "substrate_event",
    "substrate_fieldvalue",
    "substrate_observation",
    "substrate_relationship",
    "substrate_relationshipobservation",
    "substrate_searchdocument",
}
TICKETS = {"entity_type": "ticket"}
VALUES: dict[str, Any] = {"status": "rejected", "assignee": "person 110", "priority": 97, "due": "2026-01-03"}
OPS = ("eq", "in", "gt", "lt", "gte", "lte", "contains")
FILTERS = {
    f"{field} {op}": {**TICKETS, "filters": {field: {"op": op, "value": [value] if op == "in" else value}}}
    for field, value in VALUES.items()
    for op in OPS
    if not (op == "contains" and field == "priority")  # numbers have no parts
}
SINCE = "2026-01-01T02:00:00Z"


@pytest.mark.django_db
def test_ids_are_those_that_the_store_gives() -> None:
    call("register_entity_type", TICKET, callers.operator())
    rows = [next(rows_at(number)) for number in range(10)]
    entities = [{"entity_type": row.entity_type, **row.snapshot} for row in rows if isinstance(row, Entity)]
    stored = call("store", {"entities": entities}, callers.agent())["entities"]
    assert [one["entity_id"] for one in stored] == [id_at(number) for number in range(10)]


@pytest.fixture(scope="module")
def loaded(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """A database of its own with so many entities."""
    folder: Path = tmp_path_factory.mktemp("scale")
    with django_db_blocker.unblock(), migrated_copy(folder) as url, connected_to(url):
        scale_load.load(SIZE)
        if on_postgres():
            # At this size reading a whole table may be cheaper. What still does has no index.
            with connection.cursor() as cursor:
                cursor.execute("SET enable_seqscan = off")
        yield


def test_what_is_loaded_is_what_the_facts_say(loaded: None) -> None:
    assert Entity.objects.exclude(entity_type="entity_type").count() == SIZE
    assert Observation.objects.count() == FACTS * SIZE + 1
    assert SIZE <= Relationship.objects.count() <= 2 * SIZE
    chosen = [id_at(number) for number in range(0, SIZE, SIZE // 50)]
    before = _derived(chosen)
    with transaction.atomic():
        rebuild_batch(chosen)
    assert _derived(chosen) == before


def _derived(ids: list[str]) -> list[list[dict[str, Any]]]:
    rows = [
        Entity.objects.filter(pk__in=ids).order_by("pk").values(),
        FieldValue.objects.filter(entity__in=ids).order_by("entity", "field").values(),
        SearchDocument.objects.filter(entity__in=ids).order_by("entity").values(),
    ]
    return [[{name: value for name, value in row.items() if name != "id"} for row in part] for part in rows]


@pytest.mark.postgres
@pytest.mark.skipif(not on_postgres(), reason="the scale bench measures PostgreSQL")
def test_every_measured_read_answers(loaded: None) -> None:
    found = scale_reads.measured(SIZE, calls=5, rounds=1)
    assert found.keys() == scale_reads.READS.keys()
    assert all(0 < timing.p50 <= timing.p95 for timing in found.values())


@pytest.mark.parametrize("name", sorted(scale_reads.READS))
@pytest.mark.parametrize("who", ["agent", "operator"])
def test_no_read_looks_at_every_row(loaded: None, name: str, who: str) -> None:
    read, chance = scale_reads.READS[name], random.Random(1)
    for _ in range(5):
        assert _scanned(read.operation, read.arguments(chance, SIZE), who) == []


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_every_filter_on_an_indexed_field_uses_an_index(loaded: None, name: str) -> None:
    assert _scanned("retrieve_entities", FILTERS[name], "agent") == []


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("retrieve_entities", {**TICKETS, "updated_since": SINCE}),
        ("retrieve_entities", {**TICKETS, "created_since": SINCE, "sort_by": "created_at", "sort_order": "asc"}),
        ("retrieve_entities", {"entity_types": ["ticket", "person"]}),
        ("retrieve_entities", {"search": "request part110", **TICKETS}),
        ("retrieve_entities", {"search": "word1*"}),
        ("list_recent_changes", {"since": SINCE}),
        ("list_recent_changes", {"event_types": ["entity.created"]}),
        ("list_relationships", {"entity_id": id_at(0), "direction": "inbound", "relationship_type": "REFERS_TO"}),
        ("retrieve_related_entities", {"entity_id": id_at(20), "max_hops": 3, "relationship_types": ["PART_OF"]}),
        ("retrieve_graph_neighborhood", {"entity_id": id_at(30), "max_hops": 2, "entity_types": ["person"]}),
        ("retrieve_timeline", {"entity_id": id_at(0), "sort_order": "desc", "since": SINCE}),
        ("list_observations", {"entity_id": id_at(0)}),
        ("retrieve_many", {"entity_ids": [id_at(open_at(number)) for number in range(50)]}),
        ("list_events", {"entity_types": ["person"], "after": 5}),
    ],
)
def test_no_other_read_of_entities_looks_at_every_row(loaded: None, operation: str, arguments: dict[str, Any]) -> None:
    assert _scanned(operation, arguments, "agent") == []


def test_the_test_sees_a_scan(loaded: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        list(Entity.objects.filter(canonical_key__contains="needle")[:5])
        list(Observation.objects.filter(observation_source="import").order_by("observed_at")[:5])
    assert [table for query in queries for table in _scans(query["sql"])] == [
        "substrate_entity",
        "substrate_observation",
    ]


def _scanned(operation: str, arguments: dict[str, Any], who: str) -> list[tuple[str, str]]:
    """The big tables that a call reads from end to end, each with the query."""
    caller: Caller = scale_reads.reader() if who == "agent" else callers.operator()
    with CaptureQueriesContext(connection) as queries:
        call(operation, arguments, caller)
    assert len(queries) > 0
    return [(table, query["sql"]) for query in queries for table in _scans(query["sql"])]


def _scans(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}")
            (plan,) = cursor.fetchone()
            return [*_sequential(json.loads(plan)[0]["Plan"] if isinstance(plan, str) else plan[0]["Plan"])]
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        steps = [str(step[-1]) for step in cursor.fetchall()]
    known_as = {alias: table for table, alias in re.findall(r'"(substrate_\w+)" "?(\w+)', sql)}
    names = [match[1] for step in steps if (match := re.fullmatch(r"SCAN (\w+)", step))]
    return [table for name in names if (table := known_as.get(name, name)) in BIG]


def _sequential(node: dict[str, Any]) -> Iterator[str]:
    if node["Node Type"] == "Seq Scan" and node["Relation Name"] in BIG:
        yield node["Relation Name"]
    for part in node.get("Plans", ()):
        yield from _sequential(part)

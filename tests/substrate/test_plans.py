"""Every filter on an indexed field, and every order by one, walks an index: the plans of the databases say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from neotoma.substrate import queries, sorting
from neotoma.substrate.models import Entity, FieldValue
from tests.substrate.test_queries import put, types

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("types")]
__all__ = ["types"]

FILTERS = [
    ("eq", "a"),
    ("eq", 1),
    ("eq", True),
    ("in", ["a", 1, False]),
    ("gt", "a"),
    ("lte", 3),
    ("contains", "needle"),
    ("contains", 7),
]


def plan(sql: str) -> str:
    """As it is where tables are long: a few rows are faster read, and sorted, as they are."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
            cursor.execute(f"EXPLAIN {sql}")
            return "\n".join(row[0] for row in cursor.fetchall())
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return "\n".join(row[3] for row in cursor.fetchall())


def statement(read: Callable[[], object]) -> str:
    """The last one of a read."""
    with CaptureQueriesContext(connection) as queries_made:
        read()
    return str(queries_made[-1]["sql"])


def scans(plan: str) -> list[str]:
    """Lines of a plan that read a whole table."""
    lines = [line.strip() for line in plan.splitlines()]
    return [line for line in lines if "Seq Scan" in line or (line.startswith("SCAN ") and "INDEX" not in line)]


@pytest.mark.parametrize(("op", "value"), FILTERS)
def test_a_filter_reads_no_whole_table(op: str, value: Any) -> None:
    put("indexed_thing", ["a", 1, True, ["a", 7], None])
    rows = queries.alive_of_types(Entity.objects.all(), ["indexed_thing"])
    found = queries.by_field(rows, ["indexed_thing"], "v", op, value).order_by("-updated_at", "-pk")[:21]
    read = plan(statement(lambda: list(found)))
    assert scans(read) == []
    assert "field_value_" in read


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite looks at the values of the field, no further")
def test_parts_of_texts_are_found_by_their_own_index() -> None:
    put("indexed_thing", ["a needle in it"])
    found = FieldValue.objects.filter(folded__contains="needle")
    assert "field_value_parts" in plan(statement(lambda: list(found)))


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("values", [["a", "b", "c"], [1, 2, 3]])
def test_an_order_by_a_field_is_that_of_its_index(values: list[Any], order: Any) -> None:
    put("indexed_thing", values)
    rows = queries.alive_of_types(Entity.objects.all(), ["indexed_thing"])
    first, _ = sorting.page(rows, ["indexed_thing"], "v", order, 1, None)
    read = plan(statement(lambda: sorting.page(rows, ["indexed_thing"], "v", order, 1, first[0].cursor)))
    assert scans(read) == []
    assert f"field_value_{'text' if values[0] == 'a' else 'number'}" in read
    assert "Sort" not in read
    assert "TEMP B-TREE" not in read

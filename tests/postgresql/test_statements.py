"""Statements of writes are kept by a connection, and none where a pooler could not keep them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from neotoma.substrate.statements import USES, execute_kept

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="about PostgreSQL's statements"),
]


def kept(sql: str) -> int:
    with connection.cursor() as cursor:
        for number in range(USES + 2):
            execute_kept(cursor, sql, [number])
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", [f"{sql[:16]}%"])
        return int(cursor.fetchone()[0])


def test_a_statement_that_comes_again_is_kept_and_others_are_not() -> None:
    assert kept("SELECT 'again', %s::int") == 1
    with connection.cursor() as cursor:
        for number in range(USES + 2):
            cursor.execute("SELECT 'ad hoc', %s::int", [number])
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", ["SELECT 'ad hoc'%"])
        assert cursor.fetchone() == (0,)


def test_nothing_is_kept_where_a_pooler_stands_between(settings: Any) -> None:
    settings.NEOTOMA_PREPARED_STATEMENTS = False
    assert kept("SELECT 'pooled', %s::int") == 0

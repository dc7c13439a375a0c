"""A kept connection to PostgreSQL is asked whether it works only when the server has said something on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection, connections

from neotoma.postgresql.base import DatabaseWrapper

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="about PostgreSQL's connections"),
]


@pytest.fixture
def kept() -> Iterator[DatabaseWrapper]:
    """A connection beside the one of the test, before its second request."""
    one = connections["default"].copy()
    assert isinstance(one, DatabaseWrapper)
    server_process(one)
    one.close_if_unusable_or_obsolete()
    yield one
    one.close()


def server_process(one: DatabaseWrapper) -> int:
    with one.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def test_one_that_the_server_ended_is_replaced(kept: DatabaseWrapper) -> None:
    before = kept.connection.info.backend_pid
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [before])
    assert server_process(kept) != before


def test_one_that_works_is_kept_and_not_asked(kept: DatabaseWrapper, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.connection.info.backend_pid
    monkeypatch.setattr(kept, "is_usable", lambda: pytest.fail("asked"))
    assert server_process(kept) == before


def test_one_that_was_closed_here_is_opened_again(kept: DatabaseWrapper) -> None:
    before = kept.connection.info.backend_pid
    kept.connection.close()
    assert server_process(kept) != before

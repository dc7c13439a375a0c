"""A long transaction of somebody else's: it has read, it has written, and it does not come to an end."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg

WRITTEN = """INSERT INTO access_ratewindow ("key", "window", "count") VALUES ('held', 0, 1)"""


@contextmanager
def long_transaction(database_url: str) -> Iterator[None]:
    """Open while the block runs, then undone. SQLite has one writer at a time: there it keeps out all others."""
    with closing(_begun(database_url)) as connection:
        connection.execute("SELECT count(*) FROM substrate_entity").fetchone()
        connection.execute(WRITTEN)
        yield
        connection.rollback()


def _begun(database_url: str) -> Any:
    """Both drivers' connections have `execute`, which their common protocol does not."""
    if not database_url.startswith("sqlite"):
        return psycopg.connect(database_url)
    connection = sqlite3.connect(urlsplit(database_url).path[1:], timeout=60, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return connection

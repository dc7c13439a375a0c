"""Databases with every table and nothing in them, for tests that must commit.

Append-only tables refuse TRUNCATE, so nothing is flushed: each such test gets a copy of the migrated test database.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.db import connection, connections
from psycopg import sql

from neotoma.environment import database

SERVER = os.environ.get("DATABASE_URL", "")


def on_postgres() -> bool:
    """Whether this run's tests use the server that DATABASE_URL names."""
    return SERVER.startswith("postgres")


@contextmanager
def migrated_copy(folder: Path) -> Iterator[str]:
    """URL of a copy of the test database; on SQLite a file in `folder`. Call it outside every transaction."""
    if on_postgres():
        with _postgres_copy(connection.settings_dict["NAME"]) as url:
            yield url
    else:
        path = folder / f"copy-{secrets.token_hex(4)}.sqlite3"
        connection.ensure_connection()
        with closing(sqlite3.connect(path)) as copy:
            connection.connection.backup(copy)
        yield f"sqlite:///{path}"


@contextmanager
def _postgres_copy(template: str) -> Iterator[str]:
    name = f"neotoma_copy_{os.getpid()}_{secrets.token_hex(4)}"
    connections.close_all()  # a template must have no session
    with _maintenance() as admin:
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
    try:
        yield _beside(name)
    finally:
        with _maintenance() as admin:
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _maintenance() -> psycopg.Connection[tuple[Any, ...]]:
    return psycopg.connect(_beside("postgres"), autocommit=True)


def _beside(name: str) -> str:
    return urlunsplit(urlsplit(SERVER)._replace(path=f"/{name}"))


@contextmanager
def connected_to(url: str) -> Iterator[None]:
    """Django's default connection, in this thread and in threads started meanwhile, leads to `url`."""
    before, kept = connections.settings["default"], connections["default"]
    connections.settings["default"] = {**before, **database(url)}
    del connections["default"]
    try:
        yield
    finally:
        connections["default"].close()
        connections.settings["default"] = before
        connections["default"] = kept


@contextmanager
def closing_connections() -> Iterator[None]:
    """For the body of a thread: its connections are its own, and nobody else closes them."""
    try:
        yield
    finally:
        connections.close_all()

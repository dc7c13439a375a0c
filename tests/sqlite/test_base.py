"""Writers of one SQLite file take turns: across threads and processes, without long sleeps, for a bounded time."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler

from neotoma.environment import database

WRITER = """
import sys
from django.conf import settings
from django.db.utils import ConnectionHandler
from neotoma.environment import database
settings.configure()
connection = ConnectionHandler({"default": database(sys.argv[1])})["default"]
for _ in range(int(sys.argv[2])):
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    connection.cursor().execute("UPDATE counted SET n = n + 1")
    connection.commit()
    connection.set_autocommit(True)
"""

HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
input()
"""


@pytest.fixture
def url(tmp_path: Path, django_db_blocker: Any) -> Iterator[str]:
    url = f"sqlite:///{tmp_path}/turns.sqlite3"
    with django_db_blocker.unblock():
        with _connected(url) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE counted (n INTEGER)")
            cursor.execute("INSERT INTO counted VALUES (0)")
        yield url


@contextmanager
def _connected(url: str, timeout_s: float = 5) -> Iterator[BaseDatabaseWrapper]:
    settings = database(url)
    settings["OPTIONS"]["timeout"] = timeout_s
    connection = ConnectionHandler({"default": settings})["default"]
    try:
        yield connection
    finally:
        connection.close()


def _begin(connection: BaseDatabaseWrapper) -> None:
    connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    connection.cursor()


def _end(connection: BaseDatabaseWrapper) -> None:
    connection.commit()
    connection.set_autocommit(True)


def _counted(url: str) -> int:
    with _connected(url) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT n FROM counted")
        return int(cursor.fetchone()[0])


def test_threads_and_processes_lose_no_write(url: str) -> None:
    def write() -> None:
        with _connected(url) as connection:
            for _ in range(50):
                _begin(connection)
                with connection.cursor() as cursor:
                    cursor.execute("UPDATE counted SET n = n + 1")
                _end(connection)

    processes = [subprocess.Popen([sys.executable, "-c", WRITER, url, "50"]) for _ in range(2)]
    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait(timeout=60) for process in processes] == [0, 0]
    assert _counted(url) == 300


@pytest.mark.parametrize("same_process", [True, False])
def test_the_wait_for_a_turn_is_bounded(url: str, same_process: bool) -> None:
    with _holding(url, same_process=same_process), _connected(url, timeout_s=0.2) as second:
        started = time.monotonic()
        with pytest.raises(OperationalError, match="locked"):
            _begin(second)
        assert 0.2 <= time.monotonic() - started < 3
    with _connected(url, timeout_s=0.2) as third:
        _begin(third)
        _end(third)


@contextmanager
def _holding(url: str, *, same_process: bool) -> Iterator[None]:
    if same_process:
        with _connected(url) as first:
            _begin(first)
            yield
            _end(first)
        return
    path = url.removeprefix("sqlite:///")
    with subprocess.Popen([sys.executable, "-c", HOLDER, path], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.communicate(b"\n")


@pytest.mark.parametrize("end", ["rollback", "close"])
def test_however_a_transaction_ends_the_next_one_starts_at_once(url: str, end: str) -> None:
    with _connected(url) as first, _connected(url, timeout_s=0.2) as second:
        _begin(first)
        getattr(first, end)()
        _begin(second)
        _end(second)


def test_a_failed_statement_gives_the_turn_back(url: str) -> None:
    with _connected(url) as first, _connected(url, timeout_s=0.2) as second:
        with pytest.raises(OperationalError, match="no such table"):
            _begin(first)
            first.cursor().execute("UPDATE nowhere SET n = 1")
        first.rollback()
        _begin(second)
        _end(second)


def test_reads_wait_for_no_writer(url: str) -> None:
    with _connected(url) as writer, _connected(url, timeout_s=0.2):
        _begin(writer)
        assert _counted(url) == 0
        _end(writer)


def test_a_transaction_that_asks_nothing_holds_up_nobody(url: str) -> None:
    with _connected(url) as idle, _connected(url, timeout_s=0.2) as second:
        idle.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        _begin(second)
        _end(second)
        _end(idle)

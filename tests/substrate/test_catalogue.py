"""A type is in force everywhere once it is defined: in other processes, and for writes that are under way."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from neotoma.operations.invoke import call
from neotoma.substrate import catalogue
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.models import Entity, TypeCatalogue
from neotoma.substrate.schema import type_of
from neotoma.substrate.store import open_write
from tests.support import callers
from tests.support.databases import closing_connections, connected_to, migrated_copy, on_postgres

OTHER = """
import sys
import django
django.setup()
from django.utils import timezone
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import Refusal
from neotoma.substrate.store import open_write
for line in sys.stdin:
    try:
        with open_write(SYSTEM, timezone.now()) as write:
            [stored] = write.put([Draft("book", {"title": "Dune", "mood": line.strip()})])
        print(sorted(stored.entity.snapshot), flush=True)
    except Refusal as refusal:
        print(refusal.error_code, flush=True)
"""
"""A process that stores a book for each line and answers the fields of its snapshot, or why it was refused."""
TITLE = {"name": "title", "type": "string"}


@pytest.fixture
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[str]:
    """URL of a copy of the migrated database, which the test is connected to without a transaction around it."""
    with django_db_blocker.unblock(), migrated_copy(tmp_path) as url, connected_to(url):
        yield url


@pytest.fixture
def other(database: str) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "neotoma.settings"}
    command = [sys.executable, "-c", OTHER]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        yield child


def told(child: subprocess.Popen[str], mood: str) -> str:
    assert child.stdin
    assert child.stdout
    print(mood, file=child.stdin, flush=True)
    return child.stdout.readline().strip()


def define(name: str = "register_entity_type", **more: Any) -> dict[str, Any]:
    given = {"entity_type": "book", "fields": [TITLE], **more}
    return call(name, given, callers.operator())


def test_another_process_follows_without_a_restart(other: subprocess.Popen[str]) -> None:
    assert told(other, "dry") == "['mood', 'title']"
    define(description="To read.")
    assert told(other, "wet") == "['title']"
    define("extend_entity_type", strict=True)
    assert told(other, "hot") == "VALIDATION_FAILED"
    define("extend_entity_type", fields=[{"name": "mood", "type": "string"}])
    assert told(other, "hot") == "['mood', 'title']"
    call("revert_entity_type", {"entity_type": "book", "version": 0}, callers.operator())
    assert told(other, "cold") == "['mood', 'title']"


def test_a_write_under_way_is_awaited_and_what_it_stores_follows(database: str) -> None:
    boss = callers.operator()
    stored, go_on = threading.Event(), threading.Event()
    done: list[float] = []

    def writing() -> None:
        with closing_connections():
            with open_write(SYSTEM, timezone.now()) as write:
                write.put([Draft("book", {"title": "Dune", "mood": "dry"})])
                stored.set()
                go_on.wait(10)
            done.append(time.monotonic())

    def defining() -> None:
        with closing_connections():
            given = {"entity_type": "book", "description": "To read.", "fields": [TITLE]}
            call("register_entity_type", given, boss)
            done.append(-time.monotonic())

    threads = [threading.Thread(target=writing), threading.Thread(target=defining)]
    threads[0].start()
    assert stored.wait(10)
    threads[1].start()
    time.sleep(0.3)
    assert done == []
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert len(done) == 2
    assert Entity.objects.get(entity_type="book").raw_fragments == {"mood": "dry"}


@pytest.mark.django_db
def test_a_type_that_was_rolled_back_is_forgotten() -> None:
    define(description="To read.")
    assert type_of("book").description == "To read."
    TypeCatalogue.objects.update(revision=0)  # as a rollback leaves it
    Entity.objects.filter(entity_type="entity_type").update(deleted_at=timezone.now())
    assert type_of("book").description == ""


@pytest.mark.django_db
def test_types_are_known_without_the_row_that_says_when_they_change() -> None:
    define(description="To read.")
    TypeCatalogue.objects.all().delete()
    assert type_of("book").description == "To read."


@pytest.mark.django_db
def test_a_built_in_type_is_looked_up_nowhere_and_others_once() -> None:
    type_of("book")  # what this process knows may be of another test's database
    with CaptureQueriesContext(connection) as queries:
        type_of("issue")
        assert len(queries) == 0
        with catalogue.looked_up_once():
            for name in ("book", "task", "book"):
                type_of(name)
    assert len(queries) == 1


@pytest.mark.django_db
@pytest.mark.skipif(not on_postgres(), reason="SQLite has one writer, so it needs no lock")
def test_a_write_locks_the_types_and_reads_them_in_one_go() -> None:
    with CaptureQueriesContext(connection) as queries, open_write(SYSTEM, timezone.now()) as write:
        write.put([Draft("book", {"title": "Dune"})])
    assert sum("typecatalogue" in query["sql"] for query in queries) == 1
    assert sum("lock_shared" in query["sql"] for query in queries) == 1

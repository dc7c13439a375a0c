"""What workers do at the same moment, on a database where they commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import TypeVar

import pytest
from pytest_django import DjangoDbBlocker

from neotoma.consumers import drain
from neotoma.operations.invoke import call
from tests.support import callers
from tests.support.databases import closing_connections, connected_to, migrated_copy
from tests.triage.desk import filed, live, plan_of, settled
from triage import cases
from triage.consumers import intake
from triage.models import Case, Run
from triage.runner.run import start

WORKERS = 6
NOW = datetime(2026, 3, 1, tzinfo=UTC)
T = TypeVar("T")


@pytest.fixture(autouse=True)
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[None]:
    """A copy of the migrated database that the test has to itself, without a transaction around the test."""
    with django_db_blocker.unblock(), migrated_copy(tmp_path) as url, connected_to(url):
        yield


def at_once(jobs: list[Callable[[], T]]) -> list[T]:
    """What these come to when they all start at the same moment, each on a connection of its own."""
    barrier = Barrier(len(jobs))

    def one(job: Callable[[], T]) -> T:
        with closing_connections():
            barrier.wait()
            return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(one, jobs))


def test_of_many_workers_one_gets_the_case() -> None:
    live()
    filed()
    settled()
    case = Case.objects.get()
    for _ in range(5):
        Case.objects.update(due_at=NOW, attempts=0)
        won = at_once([partial(cases.claim, case.pk, NOW)] * WORKERS)
        assert [found.attempts for found in won if found is not None] == [1]


def test_no_more_runs_start_together_than_configured() -> None:
    live(concurrency=2)
    issues = [filed(title=f"Storing an entity drops field {number}") for number in range(4)]
    settled()
    for issue in issues:
        call("approve_plan", {"plan_id": plan_of(issue).pk, "revision": 1}, callers.operator())
    drain(intake.name)
    queued = list(Run.objects.filter(state="queued").select_related("case", "plan"))
    refused = at_once([partial(start, run, 0, NOW) for run in queued])
    assert sorted(map(str, refused)) == ["2 runs at once; the limit is 2"] * 2 + ["None"] * 2
    assert Run.objects.filter(state="running").count() == 2

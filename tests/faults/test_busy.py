"""A database that somebody else keeps busy: a bounded wait, then "come again"; nothing accepted is lost, no 500."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from neotoma.access.bootstrap import mint
from neotoma.access.models import Agent
from neotoma.operations.invoke import Busy, Caller
from neotoma.operations.models import AuditEntry
from tests.faults import clientlog
from tests.faults.checker import faults
from tests.faults.holding import long_transaction
from tests.faults.load import Load, in_processes
from tests.faults.stored import read
from tests.faults.web import web
from tests.instance import wait_for
from tests.support import callers
from tests.support.databases import on_postgres

PROCESSES, THREADS, EACH = 2, 4, 2
SECONDS = 90.0


def _was_told_to_wait(logs: list[Path]) -> bool:
    return any(attempt.status == 503 for attempt in clientlog.read(logs))


@pytest.mark.instance
def test_submissions_beside_a_long_transaction_wait_or_come_again(committed: str, tmp_path: Path) -> None:
    token = mint(agent=Agent.objects.create(name="busy"), scopes=["report"])
    with web(committed, tmp_path) as url, ExitStack() as held:
        held.enter_context(long_transaction(committed))
        with in_processes(Load(url, token, 7, THREADS, EACH), tmp_path, PROCESSES) as logs:
            if not on_postgres():  # there it holds up nobody, and outlives the whole load
                wait_for(lambda: _was_told_to_wait(logs), SECONDS)
                held.close()
    attempts, stored = clientlog.read(logs), read(committed)
    assert _was_told_to_wait(logs) is not on_postgres()
    assert {fault.kind for fault in faults(attempts, stored)} <= {"unseen"}  # no consumer runs here
    assert sum(attempt.accepted for attempt in attempts) == len(stored.issues) == PROCESSES * THREADS * EACH


def _filed_or_told(reporter: Caller) -> dict[str, Any]:
    """What became of it: its `replayed`, or the details of the refusal."""
    try:
        return {"replayed": callers.filed(reporter, idempotency_key="the-key")["replayed"]}
    except Busy as busy:
        return busy.details


def test_a_writer_that_cannot_write_is_told_when_to_come_again(committed: str) -> None:
    reporter = callers.reporter()
    if not on_postgres():
        connection.close()
        connection.settings_dict["OPTIONS"]["timeout"] = 0.1
    with long_transaction(committed):
        first = _filed_or_told(reporter)
    assert first == ({"replayed": False} if on_postgres() else {"retry_after": 1})
    assert _filed_or_told(reporter) == {"replayed": on_postgres()}
    assert not AuditEntry.objects.filter(outcome="refused").exists()

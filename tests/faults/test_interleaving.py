"""Transactions that overlap hide no event from a consumer that reads between their commits."""

from __future__ import annotations

import random
import time
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

import pytest
from django.db import OperationalError, transaction

from neotoma.substrate import log
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.store import open_write
from tests.faults.forked import fork
from tests.faults.interleaved import Reader, Step, Turn, play, reader, shuffled
from tests.support.databases import on_postgres

pytestmark = pytest.mark.usefixtures("committed")
needs_overlap = pytest.mark.skipif(not on_postgres(), reason="SQLite lets no two write transactions overlap")


def _turns(number: int, *steps: Step) -> list[Turn]:
    return [(number, step) for step in steps]


EARLIER_FACTS: list[Turn] = [
    *_turns(0, "begin", "put"),
    *_turns(1, "begin", "put", "finish", "commit"),
    "drain",
    *_turns(0, "finish", "commit"),
]
EARLIER_EVENTS: list[Turn] = [
    *_turns(0, "begin", "put", "finish"),
    *_turns(1, "begin", "put", "finish", "commit"),
    "drain",
    *_turns(0, "commit"),
]
A_GAP: list[Turn] = [
    *_turns(0, "begin", "put", "finish"),
    *_turns(1, "begin", "put", "finish", "commit"),
    "drain",
    *_turns(0, "roll back"),
    *_turns(2, "begin", "put", "finish", "commit"),
]


@pytest.mark.parametrize("turns", [EARLIER_FACTS, EARLIER_EVENTS, A_GAP])
@pytest.mark.postgres
@needs_overlap
def test_overlapping_transactions_hide_no_event(turns: list[Turn]) -> None:
    with reader() as reading:
        play(turns, reading)
        assert reading.missed() == []
        assert reading.seen


@pytest.mark.postgres
@needs_overlap
def test_no_order_of_steps_hides_an_event() -> None:
    chance = random.Random(7_203_041)
    with reader() as reading:
        for _ in range(15):
            play(shuffled(chance, writers=4), reading)
            assert reading.missed() == []
        assert len(reading.seen) > 60


@pytest.mark.postgres
@needs_overlap
def test_without_the_lock_an_event_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unordered:
        vendor = "none"

    monkeypatch.setattr(log, "connection", Unordered())
    with reader() as reading:
        play(EARLIER_EVENTS, reading)
        assert len(reading.missed()) == 1


WRITERS = 4
WRITES = 8


def _write_some(seed: int) -> int:
    """Short transactions with pauses inside, some of them undone; answers how many were committed."""
    chance, committed = random.Random(seed), 0
    for number in range(WRITES):
        undone = chance.random() < 0.25
        while True:
            try:
                with transaction.atomic(), open_write(SYSTEM, datetime.now(UTC)) as write:
                    write.put([Draft("task", {"title": f"{seed} {number}"})])
                    time.sleep(chance.uniform(0, 0.01))
                    write.finish()
                    time.sleep(chance.uniform(0, 0.01))
                    transaction.set_rollback(undone)
                break
            except OperationalError:
                continue  # the database was busy for longer than a writer waits
        committed += not undone
    return committed


def _drain(reading: Reader) -> None:
    with suppress(OperationalError):  # as a worker does, it looks again later
        reading.drain()


def test_processes_that_write_at_once_hide_no_event() -> None:
    children = [fork(partial(_write_some, seed)) for seed in range(WRITERS)]
    with reader() as reading:
        while not all(child.has_answered() for child in children):
            _drain(reading)
        committed = sum(child.answer() for child in children)
        reading.drain()
        assert reading.missed() == []
        assert len(reading.seen) == committed

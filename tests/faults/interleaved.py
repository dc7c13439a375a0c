"""Write transactions that take turns as they are told, each on its own connection, and a consumer that reads on."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Literal

from django.db import connections, transaction
from django.db.models import Q

from neotoma import consumers
from neotoma.consumers import consumer, drain
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.models import Event
from neotoma.substrate.store import Write

Step = Literal["begin", "put", "finish", "commit", "roll back"]
Turn = tuple[int, Step] | Literal["drain"]
NAMES = itertools.count()
SECONDS = 60.0
BLOCKED_AFTER = 0.05  # seconds; a step that is not done by then waits for a lock


class Writer:
    """One transaction in a thread of its own. The steps are those of `open_write`, one at a time."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._block = transaction.atomic()
        self._write = Write(SYSTEM, datetime.now(UTC))

    def take(self, step: Step) -> Future[None]:
        """Start a step; the future is done when the step is."""
        steps = {"begin": self._begin, "put": self._put, "finish": self._write.finish, "commit": self._end}
        return self._thread.submit(steps.get(step, self._undo))

    def _begin(self) -> None:
        self._block.__enter__()

    def _put(self) -> None:
        self._write.put([Draft("task", {"title": f"interleaved {next(NAMES)}"})])

    def _end(self) -> None:
        self._block.__exit__(None, None, None)
        connections.close_all()

    def _undo(self) -> None:
        transaction.set_rollback(True)
        self._end()


class Reader:
    """A consumer of created entities. `seen` holds the seqs in the order in which they came."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        name = f"tests.interleaved{next(NAMES)}"  # a task name is registered once for good
        self._consumer = consumer(name, wanted=lambda: Q(event_type="entity.created"))(self._take)

    def _take(self, events: Sequence[Event]) -> None:
        self.seen += [event.seq for event in events]

    def drain(self) -> None:
        drain(self._consumer.name)

    def missed(self) -> list[int]:
        """Committed events that have not come, and those that came out of order or twice."""
        wanted = Event.objects.filter(event_type="entity.created").order_by("seq").values_list("seq", flat=True)
        return [] if self.seen == list(wanted) else sorted(set(wanted) ^ set(self.seen)) or self.seen


@contextmanager
def reader() -> Iterator[Reader]:
    """A consumer that is known while the block runs."""
    known = dict(consumers._CONSUMERS)
    try:
        yield Reader()
    finally:
        consumers._CONSUMERS.clear()
        consumers._CONSUMERS.update(known)


def play(turns: Sequence[Turn], reading: Reader) -> None:
    """Take the turns in order, but those of a writer that waits for a lock: they follow once it is free."""
    writers = [Writer() for _ in range(1 + max(turn[0] for turn in turns if turn != "drain"))]
    left, waiting = list(turns), dict[int, Future[None]]()
    while left:
        for number in [number for number, future in waiting.items() if future.done()]:
            waiting.pop(number).result()
        turn = next((turn for turn in left if turn == "drain" or turn[0] not in waiting), None)
        if turn is None:
            wait(waiting.values(), SECONDS, FIRST_COMPLETED)
            continue
        left.remove(turn)
        if turn == "drain":
            reading.drain()
            continue
        number, step = turn
        waiting[number] = writers[number].take(step)
        wait([waiting[number]], BLOCKED_AFTER if step == "finish" else SECONDS)
    reading.drain()


def shuffled(chance: random.Random, writers: int) -> list[Turn]:
    """Every step of every writer in a random order that keeps each one's own, with looks of the reader between."""
    steps: list[list[Turn]] = []
    for number in range(writers):
        end: Step = "roll back" if chance.random() < 0.25 else "commit"
        puts: list[Step] = ["put"] * chance.randint(1, 3)
        steps.append([(number, step) for step in ("begin", *puts, "finish", end)])
    turns: list[Turn] = []
    while any(steps):
        turns.append(chance.choice([own for own in steps if own]).pop(0))
        if chance.random() < 0.3:
            turns.append("drain")
    return turns

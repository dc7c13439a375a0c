"""Kicks: in order, together when they meet, and on after a failure."""

from __future__ import annotations

import threading
from queue import Queue

from neotoma.kicks import MOST, Kicks

SOON_S = 10.0


def test_what_meets_goes_together_and_in_order() -> None:
    sent: Queue[list[int]] = Queue()
    may_go = threading.Event()

    def send(batch_ids: list[int]) -> None:
        sent.put(batch_ids)
        may_go.wait(SOON_S)

    kicks = Kicks(send)
    kicks.add(1)
    assert sent.get(timeout=SOON_S) == [1]
    for number in range(2, MOST + 4):
        kicks.add(number)
    may_go.set()
    assert sent.get(timeout=SOON_S) == list(range(2, MOST + 2))
    assert sent.get(timeout=SOON_S) == [MOST + 2, MOST + 3]


def test_a_send_that_fails_does_not_end_the_next_one() -> None:
    sent: Queue[list[int]] = Queue()

    def send(batch_ids: list[int]) -> None:
        sent.put(batch_ids)
        if batch_ids == [1]:
            raise OSError("no broker")

    kicks = Kicks(send)
    for number in (1, 2):
        kicks.add(number)
        assert sent.get(timeout=SOON_S) == [number]


def test_many_writers_lose_no_kick() -> None:
    sent: Queue[list[int]] = Queue()
    kicks = Kicks(sent.put)

    def write(first: int) -> None:
        for step in range(200):
            kicks.add(first + step)

    writers = [threading.Thread(target=write, args=(first,)) for first in range(0, 1600, 200)]
    for writer in writers:
        writer.start()
    found: list[int] = []
    while len(found) < 1600:
        found += sent.get(timeout=SOON_S)
    assert sorted(found) == list(range(1600))

"""Kicks: in order, together when they meet, and on after a failure."""

from __future__ import annotations

import threading
import time
from queue import Queue

from neotoma.kicks import LONGEST_PAUSE_S, MOST, PAUSE_S, Kicks

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


def test_under_load_messages_are_few_and_afterwards_one_write_is_a_message() -> None:
    sent: list[list[int]] = []
    arrived = threading.Event()

    def send(batch_ids: list[int]) -> None:
        sent.append(batch_ids)
        arrived.set()

    kicks = Kicks(send)
    until = time.monotonic() + 5 * LONGEST_PAUSE_S
    while time.monotonic() < until:
        kicks.add(1)
        time.sleep(PAUSE_S / 20)
    assert len(sent) <= 5 + 5 + 1  # those of the doubling, those at the longest pause, the one that was running

    time.sleep(LONGEST_PAUSE_S * 3)
    arrived.clear()
    kicks.add(2)
    assert arrived.wait(SOON_S)
    assert sent[-1] == [2]

"""Kicks of a web process, sent by a thread of their own: a write waits for no broker, and what meets goes together."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

log = logging.getLogger(__name__)

MOST = 100
"""Batches that one message names."""
PAUSE_S = 0.01
"""After a message, so that the next one names all that came meanwhile; a single write waits for nothing."""
LONGEST_PAUSE_S = 0.1
"""Under load, where the pause doubles each time: messages would cost a web process as much as a fifth of its writes."""


class Kicks:
    """Batch ids on their way to the broker, in order. What a process holds when it dies is found by the next sweep."""

    def __init__(self, send: Callable[[list[int]], object]) -> None:
        self._send = send
        self._waiting: deque[int] = deque()
        self._some = threading.Condition()
        threading.Thread(target=self._run, name="kicks", daemon=True).start()

    def add(self, batch_id: int) -> None:
        with self._some:
            self._waiting.append(batch_id)
            if len(self._waiting) in (1, MOST):
                self._some.notify()

    def _run(self) -> None:
        pause = PAUSE_S
        while True:
            batch_ids = self._next()
            try:
                self._send(batch_ids)
            except Exception:  # the thread must outlive whatever a broker's client raises
                log.exception("kicks were not sent, the next sweep finds their events")
            pause = self._rest(pause)

    def _rest(self, pause: float) -> float:
        """Until the pause is over or a message is full; answers the next pause in seconds."""
        with self._some:
            self._some.wait_for(lambda: len(self._waiting) >= MOST, pause)
            return min(pause * 2, LONGEST_PAUSE_S) if self._waiting else PAUSE_S

    def _next(self) -> list[int]:
        with self._some:
            self._some.wait_for(lambda: self._waiting)
            return [self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))]

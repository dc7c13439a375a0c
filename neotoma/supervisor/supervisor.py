"""Keeps a list of services alive until it is told to stop, then stops them in order."""

import logging
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from neotoma.supervisor.processes import Kept
from neotoma.supervisor.services import Service

log = logging.getLogger(__name__)

TICK = 0.2  # seconds between two looks
GRACE = 20.0  # seconds that a service gets between SIGTERM and SIGKILL


class Supervisor:
    """Starts, watches and stops processes. A second SIGINT or SIGTERM ends the grace at once."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._groups: list[list[Kept]] = []
        self._stop = threading.Event()
        self._hurry = threading.Event()

    def listen(self) -> None:
        """Turn SIGINT, SIGTERM and SIGHUP into a request to stop. Call from the main thread, before any start."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        (self._hurry if self._stop.is_set() else self._stop).set()

    @property
    def stopping(self) -> bool:
        """Whether somebody asked to stop."""
        return self._stop.is_set()

    def start(self, services: Sequence[Service]) -> None:
        """Start these after those that run already, as one group that stops together."""
        group: list[Kept] = []
        self._groups.append(group)
        for service in services:
            group.append(kept := Kept(service))
            kept.start(self._environ, time.monotonic())

    def wait_until(self, ready: Callable[[], bool], timeout: float) -> bool:
        """Watch until `ready()` or `timeout` seconds have passed; False then, and when asked to stop."""
        deadline = time.monotonic() + timeout
        while not self.stopping and time.monotonic() < deadline:
            if ready():
                return True
            self._look()
            self._stop.wait(TICK / 2)
        return False

    def watch(self) -> None:
        """Keep everything alive until asked to stop."""
        while not self._stop.wait(TICK):
            self._look()

    def _look(self) -> None:
        now = time.monotonic()
        for kept in chain.from_iterable(self._groups):
            status = kept.ended(now)
            if status is not None:
                log.warning("%s ended with status %s, starts again", kept.service.name, status)
            if kept.pid is None and now >= kept.due_at:
                kept.start(self._environ, now)

    def stop(self) -> None:
        """Stop everything, the last started first, so that the broker outlives those who talk to it."""
        self._stop.set()
        while self._groups:
            self._end(self._groups.pop())

    def _end(self, group: list[Kept]) -> None:
        for kept in group:
            kept.ask_to_stop()
        deadline = time.monotonic() + GRACE
        while not all(kept.is_gone() for kept in group) and time.monotonic() < deadline:
            if self._hurry.wait(TICK / 4):
                break
        for kept in group:
            kept.kill()

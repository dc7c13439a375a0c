"""A function in a process of its own, which starts at once and can be killed or sabotaged."""

from __future__ import annotations

import os
import pickle
import select
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import connections

from tests.faults.sabotage.apps import SABOTAGES

T = TypeVar("T")


class Killed(Exception):
    """The process was killed before it had an answer."""


class Failed(Exception):
    """The function raised; the text is its trace."""


@dataclass(frozen=True, slots=True)
class Child(Generic[T]):
    """A running fork. `pipe` is where its answer comes out."""

    pid: int
    pipe: int

    def has_answered(self) -> bool:
        """Whether `answer` would not wait."""
        return bool(select.select([self.pipe], [], [], 0)[0])

    def answer(self) -> T:
        """Wait for what the function returned; raises `Killed` and `Failed`."""
        with os.fdopen(self.pipe, "rb") as pipe:
            written = pipe.read()
        os.waitpid(self.pid, 0)
        if not written:
            raise Killed
        succeeded, answer = pickle.loads(written)  # noqa: S301  our own process wrote it
        if not succeeded:
            raise Failed(answer)
        result: T = answer
        return result


def fork(function: Callable[[], T], *sabotages: str) -> Child[T]:
    """Run the function in a fork of this process that is sabotaged first."""
    connections.close_all()  # two processes must not share one
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a test process may have threads; none holds our locks
        pid = os.fork()
    if pid == 0:
        os.close(reading)
        _child(function, sabotages, writing)
    os.close(writing)
    return Child(pid, reading)


def _child(function: Callable[[], T], sabotages: tuple[str, ...], writing: int) -> None:
    """Never returns: what the parent would do at its end is not the child's to do."""
    try:
        for name in sabotages:
            SABOTAGES[name]()
        outcome: tuple[bool, object] = (True, function())
    except BaseException:  # noqa: BLE001  whatever it is, the parent reports it
        outcome = (False, traceback.format_exc())
    with os.fdopen(writing, "wb") as pipe:
        pickle.dump(outcome, pipe)
    os._exit(0)

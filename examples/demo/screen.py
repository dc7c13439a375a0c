"""What the audience sees: numbered steps, what was sent, what came back."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

BOLD, DIM, CYAN, GREEN, RED = "1", "2", "36", "32", "31"


class Screen:
    """Prints at once; in colour only to a terminal whose owner did not say NO_COLOR."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._colours = out.isatty() and not os.environ.get("NO_COLOR")
        self._started = time.monotonic()
        self.steps = 0

    @property
    def seconds(self) -> float:
        """Since the first line."""
        return time.monotonic() - self._started

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """One step: announced before, and marked as done or as not happened after."""
        self.steps += 1
        started, happened = time.monotonic(), False
        self._line(f"\n{self._in(BOLD, f'{self.steps:>2}  {title}')}")
        try:
            yield
            happened = True
        finally:
            took = f"{time.monotonic() - started:.1f} s"
            mark = self._in(GREEN, "✓ done") if happened else self._in(RED, "✗ did not happen")
            self._line(f"    {mark} {self._in(DIM, took)}")

    def sent(self, what: str) -> None:
        self._line(f"    {self._in(CYAN, '→')} {what}")

    def got(self, what: str) -> None:
        self._line(f"    {self._in(CYAN, '←')} {what}")

    def note(self, what: str) -> None:
        self._line(f"      {self._in(DIM, what)}")

    def headline(self, text: str) -> None:
        self._line(self._in(BOLD, text))

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colours else text

    def _line(self, text: str) -> None:
        print(text, file=self._out, flush=True)


def expect(condition: object, what: str) -> None:
    """Fails the step unless the condition holds; `what` says what should be."""
    if not condition:
        raise AssertionError(what)

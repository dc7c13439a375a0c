"""What the clients of a load wrote down: one line for each attempt, on disk before the next one is made."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO


@dataclass(frozen=True, slots=True)
class Attempt:
    """One submission as its client saw it. `status` is HTTP's, 0 without an answer; `took` is in seconds.

    `number` and `entity_id` are those of an accepted answer; `retry_after` is the header, empty without one.
    """

    key: str
    status: int
    took: float
    number: int = 0
    entity_id: str = ""
    retry_after: str = ""

    @property
    def accepted(self) -> bool:
        return self.status in (200, 201)


def append(file: IO[str], attempt: Attempt) -> None:
    """Write a line and wait until the disk has it."""
    file.write(json.dumps(asdict(attempt)) + "\n")
    file.flush()
    os.fsync(file.fileno())


def read(paths: Iterable[Path]) -> list[Attempt]:
    """Every attempt of these logs, but for a last line that was cut short: nobody was told what it says."""
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines(keepends=True)]
    return [Attempt(**json.loads(line)) for line in lines if line.endswith("\n")]


def p95(attempts: Sequence[Attempt]) -> float:
    """Seconds within which 95 of 100 attempts had their answer."""
    return sorted(attempt.took for attempt in attempts)[math.ceil(len(attempts) * 0.95) - 1]

"""CPU time and stillness of an instance's processes, read from /proc (Linux)."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found += [int(child) for child in task.read_text().split()]
    return found


def cpu_ms(pid: int) -> float:
    """User and system time of a process tree so far, in milliseconds."""
    return sum(_cpu_ticks(one) for one in tree(pid)) * 1000 / _TICK


def resident_mb(pid: int) -> float:
    """Proportional memory of a process tree in MB."""
    total = 0
    for one in tree(pid):
        with suppress(ProcessLookupError, FileNotFoundError):  # it ended meanwhile
            for line in Path(f"/proc/{one}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
    return total / 1024


@contextmanager
def held_still(pids: list[int]) -> Iterator[None]:
    """Processes that take no CPU while the block runs."""
    everyone = [one for pid in pids for one in tree(pid)]
    for one in everyone:
        os.kill(one, signal.SIGSTOP)
    try:
        yield
    finally:
        for one in everyone:
            os.kill(one, signal.SIGCONT)


def _cpu_ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0
    return int(fields[11]) + int(fields[12])

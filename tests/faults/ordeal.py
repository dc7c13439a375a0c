"""A load of submissions while processes are killed, and what is wrong once it has settled."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.faults import clientlog
from tests.faults.checker import Fault
from tests.faults.clientlog import Attempt
from tests.faults.kills import Kill, strike
from tests.faults.load import Load, in_processes
from tests.faults.site import Site
from tests.instance import wait_for

ENDLESS = 1_000_000
START_S = 60.0


@dataclass(frozen=True, slots=True)
class Ordeal:
    """`settled`: seconds from the end of the load until nothing was wrong, or nothing got better any more."""

    attempts: list[Attempt]
    faults: list[Fault]
    settled: float

    @property
    def accepted(self) -> int:
        """How many submissions were accepted, repeats not counted."""
        return len({attempt.key for attempt in self.attempts if attempt.accepted})


def ordeal(site: Site, folder: Path, seed: int, kills: Sequence[Kill], patience: float) -> Ordeal:
    """Load the site by two processes of two threads, kill as planned, then wait; see `settle`."""
    load = Load(site.instance.base_url, site.instance.reporter_token, seed, threads=2, each=ENDLESS, again=0.25)
    stop = folder / "stop"
    with in_processes(load, folder, 2, stop) as logs:
        wait_for(lambda: all(log.stat().st_size for log in logs), START_S, site.instance.log)
        for kill in kills:
            strike(site, kill)
        stop.touch()
    stop.unlink()
    attempts = clientlog.read(logs)
    found, settled = settle(site, attempts, patience)
    return Ordeal(attempts, found, settled)


def settle(site: Site, attempts: Sequence[Attempt], patience: float) -> tuple[list[Fault], float]:
    """What is still wrong once nothing has got better for so many seconds, and how many it all took."""
    started = better = time.monotonic()
    least = ENDLESS
    while found := site.faults(attempts):
        looked = time.monotonic()
        if len(found) < least:
            least, better = len(found), looked
        if looked - better >= patience:
            break
        time.sleep(0.5)
    return found, time.monotonic() - started

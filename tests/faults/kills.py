"""kill -9 of an instance's processes, in a random order that a seed repeats."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.faults.site import Site
from tests.instance import wait_for

ROLES = ("web", "worker", "webhooks", "broker", "beat")
BACK_S = 60.0


@dataclass(frozen=True, slots=True)
class Kill:
    """After `pause` seconds, the main process of a role, or, where it has any, only one of its children."""

    role: str
    pause: float
    only_child: bool


def plan(seed: int, rounds: int, roles: Sequence[str] = ROLES) -> list[Kill]:
    """Every role once a round, in an order of the round's own."""
    chance = random.Random(seed)
    return [
        Kill(role, chance.uniform(0.2, 1.5), chance.random() < 0.25)
        for _ in range(rounds)
        for role in chance.sample(roles, len(roles))
    ]


def strike(site: Site, kill: Kill) -> None:
    """Wait, then kill; what the supervisor does not restart is started again here, after a while."""
    time.sleep(kill.pause)
    if kill.role == "broker" and site.redis is not None:
        site.redis.kill()
        time.sleep(kill.pause)
        site.redis.start()
        return
    wait_for(lambda: kill.role in site.instance.pids(), BACK_S, site.instance.log)
    main = site.instance.pids()[kill.role]
    children = sorted(family(main) - {main})
    _kill(children[0] if kill.only_child and children else main)


def cut_power(site: Site) -> set[int]:
    """Kill the supervisor; answers everyone who ran under it, once all of them are gone."""
    supervisor = site.instance.process
    everyone = family(supervisor.pid)
    supervisor.kill()
    supervisor.wait()
    wait_for(lambda: not any(_runs(pid) for pid in everyone), BACK_S)
    return everyone


def family(pid: int) -> set[int]:
    """A process and everything below it that is there at this moment."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return set()
    return {pid}.union(*(family(int(child)) for child in children))


def _runs(pid: int) -> bool:
    """Whether a process is there and not merely waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # it ended by itself, or with a parent that was killed before

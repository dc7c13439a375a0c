"""Faults at full length: kills under load, a power cut, contention, equal requests, a dead broker, sabotaged builds.

Usage: python -m benchmarks.faults [--quick] [--seed N]. Prints one JSON line a scenario. Exits 1 when a promise broke,
or when the checker did not notice that one was switched off. Needs a redis-server; runs on PostgreSQL too where it
answers (BENCH_DATABASE_URL, or the usual local server).
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import requests

from tests.faults import clientlog
from tests.faults.checker import Fault, Kind
from tests.faults.clientlog import Attempt, p95
from tests.faults.holding import long_transaction
from tests.faults.kills import ROLES, Kill, cut_power, plan
from tests.faults.load import Load, in_processes, keys, submit
from tests.faults.ordeal import ENDLESS, ordeal, settle
from tests.faults.site import Site, site, started_again

ALL_ROLES = (*ROLES, "runner")
PATIENCE_S = 120.0
BACK_WITHIN_S = 60.0
AT_ONCE = 20
HELD_S, FREE_S = 6.0, 1.0
SABOTAGES: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "no_offset": ("unseen", ROLES),
    "no_key": ("duplicate", ROLES),
    "no_transaction": ("half made", ("web",) * len(ROLES)),  # only a writer can leave half of a write
}
"""Each build with a promise switched off, what the checker must find in it, and whom to kill for it."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """How much of everything. `outage` in seconds; `clients` submit `each` beside a long transaction."""

    rounds: int
    outage: float
    same_key: int
    clients: int
    each: int
    sabotaged_rounds: int


QUICK = Lengths(rounds=1, outage=0, same_key=2, clients=2, each=5, sabotaged_rounds=1)
FULL = Lengths(rounds=10, outage=60, same_key=50, clients=8, each=200, sabotaged_rounds=4)


def run(full: bool, seed: int = 20) -> dict[str, Any]:
    """Every scenario on each database. `passed`: all promises were kept, and all sabotage was noticed."""
    lengths = FULL if full else QUICK
    lines = [_printed(line) for server in _servers() for line in _on(server, lengths, seed)]
    return {"seed": seed, "passed": all(line["passed"] for line in lines), "scenarios": lines}


def _servers() -> list[str | None]:
    server = os.environ.get("BENCH_DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
    try:
        psycopg.connect(server, connect_timeout=3).close()
    except psycopg.OperationalError:
        return [None]
    return [None, server]


def _printed(line: dict[str, Any]) -> dict[str, Any]:
    print(json.dumps(line), flush=True)
    return line


def _on(server: str | None, lengths: Lengths, seed: int) -> Iterator[dict[str, Any]]:
    """Each scenario in a folder of its own."""
    scenarios = [("kills", _kills), ("broker down", _broker_down)]
    for name, scenario in scenarios:
        with tempfile.TemporaryDirectory() as folder:
            for line in scenario(Path(folder), server, lengths, seed):
                yield {"scenario": name, "database": "postgresql" if server else "sqlite", **line}
    for sabotage in SABOTAGES:
        with tempfile.TemporaryDirectory() as folder:
            line = _sabotaged(
                Path(folder), server, plan(seed, lengths.sabotaged_rounds, SABOTAGES[sabotage][1]), sabotage
            )
            yield {"scenario": "sabotage", "database": "postgresql" if server else "sqlite", **line}


def _kills(folder: Path, server: str | None, lengths: Lengths, seed: int) -> Iterator[dict[str, Any]]:
    """On one instance: random kills, many equal requests, contention, and last a power cut."""
    with site(folder / "data", server) as place:
        kills = plan(seed, lengths.rounds, ALL_ROLES)
        result = ordeal(place, folder, seed, kills, PATIENCE_S)
        yield {"kills": len(kills), **_figures(result.attempts, result.faults, result.settled)}
        for name, attempts in (
            ("equal requests", _equal_requests(place, lengths.same_key, seed + 1)),
            ("contention", _contention(place, folder, lengths, seed + 2)),
        ):
            yield {"scenario": name, **_figures(attempts, *settle(place, attempts, PATIENCE_S))}
        yield {"scenario": "power cut", **_power_cut(place, folder, seed + 3)}


def _equal_requests(place: Site, rounds: int, seed: int) -> list[Attempt]:
    """Twenty equal requests at once, again and again."""

    def post(key: str) -> Attempt:
        with requests.Session() as session:
            session.headers["Authorization"] = f"Bearer {place.instance.reporter_token}"
            return submit(session, place.instance.base_url, key)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        chosen = zip(range(rounds), keys(seed, 0), strict=False)
        return [attempt for _, key in chosen for attempt in pool.map(post, [key] * AT_ONCE)]


def _contention(place: Site, folder: Path, lengths: Lengths, seed: int) -> list[Attempt]:
    """Clients in processes of their own, while somebody holds a long transaction most of the time."""
    done = Event()

    def hold() -> None:
        while not done.wait(FREE_S):
            with long_transaction(place.database_url):
                done.wait(HELD_S)

    holder = Thread(target=hold)
    holder.start()
    load = Load(place.instance.base_url, place.instance.reporter_token, seed, 1, lengths.each)
    try:
        with in_processes(load, folder, lengths.clients) as logs:
            pass
    finally:
        done.set()
        holder.join()
    return clientlog.read(logs)


def _power_cut(place: Site, folder: Path, seed: int) -> dict[str, Any]:
    """Everything ends at once under load, and starts again on the same data."""
    load = Load(place.instance.base_url, place.instance.reporter_token, seed, 2, ENDLESS)
    stop = folder / "stop"
    with in_processes(load, folder, 2, stop) as logs:
        time.sleep(5)
        cut_power(place)
        with started_again(place) as again:
            time.sleep(5)
            stop.touch()
            while not all(log.exists() for log in logs):
                time.sleep(0.1)
            attempts = clientlog.read(logs)
            found, settled = settle(again, attempts, PATIENCE_S)
    return _figures(attempts, found, settled)


def _broker_down(folder: Path, server: str | None, lengths: Lengths, seed: int) -> Iterator[dict[str, Any]]:
    """Fifty submissions without a broker; then it is back, having forgotten everything."""
    with site(folder / "data", server, own_redis=True) as place:
        assert place.redis is not None
        place.redis.kill()
        load = Load(place.instance.base_url, place.instance.reporter_token, seed, 1, 25)
        with in_processes(load, folder, 2) as logs:
            pass
        attempts = clientlog.read(logs)
        time.sleep(lengths.outage)
        place.redis.start()
        found, settled = settle(place, attempts, PATIENCE_S)
        line = _figures(attempts, found, settled)
        in_time = settled <= BACK_WITHIN_S and line["p95"] < 1.0 and line["accepted"] == len(attempts) == 50
        yield {**line, "outage": lengths.outage, "passed": line["passed"] and in_time}


def _sabotaged(folder: Path, server: str | None, kills: Sequence[Kill], sabotage: str) -> dict[str, Any]:
    """A load and kills on a build without one of its promises."""
    env = {"DJANGO_SETTINGS_MODULE": "tests.faults.sabotage.settings", "FAULTS_SABOTAGE": sabotage}
    with site(folder / "data", server, env=env) as place:
        result = ordeal(place, folder, len(kills), kills, patience=20.0)
    kinds = Counter(fault.kind for fault in result.faults)
    return {
        "switched_off": sabotage,
        "accepted": result.accepted,
        "found": dict(kinds),
        "passed": kinds[SABOTAGES[sabotage][0]] > 0,
    }


def _figures(attempts: Sequence[Attempt], found: Sequence[Fault], settled: float) -> dict[str, Any]:
    """Counts of one scenario; times in seconds, `p95` of the attempts that were accepted."""
    accepted = [attempt for attempt in attempts if attempt.accepted]
    return {
        "attempts": len(attempts),
        "accepted": len({attempt.key for attempt in accepted}),
        "told_to_wait": sum(attempt.status == 503 for attempt in attempts),
        "unanswered": sum(attempt.status == 0 for attempt in attempts),
        "p95": round(p95(accepted), 3),
        "settled": round(settled, 1),
        "faults": [f"{fault.kind}: {fault.subject}: {fault.why}" for fault in found[:20]],
        "passed": not found,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args()
    return 0 if run(not options.quick, options.seed)["passed"] else 1


if __name__ == "__main__":
    raise SystemExit(main())

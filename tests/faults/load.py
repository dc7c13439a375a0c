"""Clients that file issues over HTTP, each until it is accepted, and write down every attempt.

Usage: python -m tests.faults.load URL TOKEN LOG --seed S --threads N --each N [--again SHARE] [--stop FILE]
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import IO

import requests

from tests.faults.clientlog import Attempt, append

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 30.0
PAUSE_S = 0.1
LONGEST_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Load:
    """`each`: submissions of one thread. `again`: share of accepted submissions that are sent once more."""

    base_url: str
    token: str
    seed: int
    threads: int
    each: int
    again: float = 0.0


def keys(seed: int, thread: int) -> Iterator[str]:
    """Idempotency keys that no other seed or thread has."""
    number = 0
    while True:
        yield str(uuid.uuid5(uuid.NAMESPACE_OID, f"{seed}-{thread}-{number}"))
        number += 1


def title_of(key: str) -> str:
    """The title that carries a key into the database."""
    return f"load {key}"


def run(load: Load, file: IO[str], stop: Path | None) -> None:
    """Every thread's submissions, or those until the stop file is there."""
    lock = Lock()
    threads = [Thread(target=_client, args=(load, number, file, lock, stop)) for number in range(load.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _client(load: Load, number: int, file: IO[str], lock: Lock, stop: Path | None) -> None:
    chance = random.Random(f"{load.seed}-{number}")
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {load.token}"
        for _, key in zip(range(load.each), keys(load.seed, number), strict=False):
            if stop is not None and stop.exists():
                return
            _until_accepted(session, load.base_url, key, file, lock)
            if chance.random() < load.again:
                _until_accepted(session, load.base_url, key, file, lock)


def _until_accepted(session: requests.Session, base_url: str, key: str, file: IO[str], lock: Lock) -> None:
    while True:
        attempt = submit(session, base_url, key)
        with lock:
            append(file, attempt)
        if attempt.accepted:
            return
        wait = attempt.retry_after
        time.sleep(min(float(wait), LONGEST_WAIT_S) if wait.isdigit() else PAUSE_S)


def submit(session: requests.Session, base_url: str, key: str) -> Attempt:
    """One POST under a key."""
    report = {"title": title_of(key), "body": f"The report of {key}.", "reporter_app_version": "1.2.3"}
    started = time.monotonic()
    try:
        answer = session.post(
            f"{base_url}/api/issues", json=report, headers={"Idempotency-Key": key}, timeout=TIMEOUT_S
        )
        body = answer.json() if answer.ok else {}
    except requests.RequestException:
        return Attempt(key, 0, time.monotonic() - started)
    return Attempt(
        key,
        answer.status_code,
        time.monotonic() - started,
        body.get("issue_number", 0),
        body.get("entity_id", ""),
        answer.headers.get("Retry-After", ""),
    )


@contextmanager
def in_processes(load: Load, folder: Path, processes: int, stop: Path | None = None) -> Iterator[list[Path]]:
    """Start the load in several processes and answer their logs; leaving the block waits for every client."""
    logs = [folder / f"client-{load.seed}-{number}.log" for number in range(processes)]
    for log in logs:
        log.touch()
    started = [
        subprocess.Popen(_command(load, load.seed * 100 + number, log, stop), cwd=ROOT)
        for number, log in enumerate(logs)
    ]
    try:
        yield logs
        assert [process.wait(timeout=600) for process in started] == [0] * processes
    finally:
        for process in started:
            process.kill()
            process.wait()


def _command(load: Load, seed: int, log: Path, stop: Path | None) -> list[str]:
    numbers = ["--seed", str(seed), "--threads", str(load.threads), "--each", str(load.each)]
    more = ["--again", str(load.again), *(["--stop", str(stop)] if stop else [])]
    return [sys.executable, "-m", "tests.faults.load", load.base_url, load.token, str(log), *numbers, *more]


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("url", "token"):
        parser.add_argument(name)
    parser.add_argument("log", type=Path)
    for name in ("--seed", "--threads", "--each"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--again", type=float, default=0.0)
    parser.add_argument("--stop", type=Path)
    given = parser.parse_args()
    load = Load(given.url, given.token, given.seed, given.threads, given.each, given.again)
    with given.log.open("a", encoding="utf-8") as file:
        run(load, file, given.stop)


if __name__ == "__main__":
    main()

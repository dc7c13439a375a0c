"""One measurement: a workload against a running instance, with its marks."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from benchmarks.processes import cpu_ms
from tests.instance import Instance

CPU_MARKS = {
    "submit_issue": (8.0, 28.0),
    "store": (3.0, 6.3),
    "store_100": (50.0, 230.0),
    "get_issue_status": (2.0, 7.0),
    "add_issue_message": (5.0, 49.0),
}
"""CPU ms a call of the web processes: the mark, and what the reference system took on this kind of machine."""
RATE_MARKS = {"submit_issue": 3 * 41, "store": 3 * 175, "get_issue_status": 3 * 260, "add_issue_message": 3 * 27}
"""Calls a second at 8 clients: three times the reference."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run of a workload showed. Times in milliseconds."""

    workload: str
    clients: int
    calls: int
    per_second: float
    p50: float
    p95: float
    cpu: float
    errors: list[str]

    def verdicts(self, slowness: float) -> list[str]:
        """The marks that apply to this run at the machine's speed, and whether they are met; none without a call."""
        found = []
        if self.workload in CPU_MARKS:
            most = CPU_MARKS[self.workload][0] * slowness
            found.append(verdict(self.calls > 0 and self.cpu <= most, f"cpu {most:.3g} ms"))
        if self.clients == 8 and self.workload in RATE_MARKS:
            least = RATE_MARKS[self.workload] / slowness
            found.append(verdict(self.per_second >= least, f"{least:.0f}/s"))
        return found


def measure(instance: Instance, workload: str, clients: int, calls: int, context: dict[str, Any]) -> Figures:
    """Run the workload once, the client in a process of its own."""
    job = {
        "url": instance.mcp_url,
        "token": context["token"],
        "workload": workload,
        "clients": clients,
        "calls": calls,
        "context": context,
    }
    web = instance.pids()["web"]
    before = cpu_ms(web)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.mcp_client"],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=True,
    )
    spent, result = cpu_ms(web) - before, json.loads(done.stdout)
    latencies = result["latencies_ms"] or [float("nan")]
    return Figures(
        workload=workload,
        clients=clients,
        calls=len(result["latencies_ms"]),
        per_second=len(result["latencies_ms"]) / result["seconds"],
        p50=statistics.median(latencies),
        p95=percentile(latencies, 0.95),
        cpu=spent / max(1, len(result["latencies_ms"])),
        errors=result["errors"],
    )


def loop_ms() -> float:
    """CPU time of a fixed loop in milliseconds: how fast the machine is at this moment."""
    started = time.process_time()
    for _ in range(20):
        total = 0
        for number in range(30_000):
            total += number * number % 7
    return (time.process_time() - started) * 1000 / 20


def percentile(values: list[float], share: float) -> float:
    """The value below which this share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def verdict(met: bool, mark: str) -> str:
    """A mark and whether it is met."""
    return f"{'meets' if met else 'MISSES'} {mark}"

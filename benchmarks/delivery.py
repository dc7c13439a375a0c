"""From event to webhook: how long, and whether a burst is attempted whole."""

from __future__ import annotations

import time
from dataclasses import dataclass

from benchmarks.mcp_client import Connection
from benchmarks.measure import percentile, verdict
from tests.instance import Instance, wait_for
from tests.support.receiver import Receiver, receiver

BURST = 1_000


@dataclass(frozen=True, slots=True)
class DeliveryFigures:
    """Milliseconds from before the call to the receiver; deliveries of a burst, and how long they took in seconds."""

    p50: float
    p95: float
    burst_attempted: int
    burst_seconds: float

    def verdicts(self, slowness: float) -> list[str]:
        """The marks at the machine's speed, and whether they are met."""
        return [
            verdict(self.p50 < 50 * slowness, f"p50 {50 * slowness:.0f} ms"),
            verdict(self.p95 < 200 * slowness, f"p95 {200 * slowness:.0f} ms"),
            verdict(self.burst_attempted == BURST, f"burst of {BURST}"),
        ]


def measure_delivery(instance: Instance, paced: int = 200) -> DeliveryFigures:
    """Paced events first, then a burst stored in batches of 100."""
    operator = Connection(instance.mcp_url, instance.operator_token)
    with receiver() as target:
        operator.call("subscribe", {"entity_types": ["pulse"], "delivery_method": "webhook", "webhook_url": target.url})
        gaps = [_one_gap(operator, target, number) for number in range(paced)]
        arrived = len(target.requests)
        started = time.monotonic()
        for batch in range(BURST // 100):
            entities = [{"entity_type": "pulse", "title": f"burst {batch} {number}"} for number in range(100)]
            operator.call("store", {"entities": entities})
        wait_for(lambda: len(target.requests) - arrived >= BURST, 120, lambda: f"{len(target.requests) - arrived} came")
        return DeliveryFigures(
            p50=percentile(gaps, 0.5),
            p95=percentile(gaps, 0.95),
            burst_attempted=len(target.requests) - arrived,
            burst_seconds=time.monotonic() - started,
        )


def _one_gap(operator: Connection, target: Receiver, number: int) -> float:
    requests = target.requests
    before, started = len(requests), time.perf_counter()
    operator.call("store", {"entities": [{"entity_type": "pulse", "title": f"pulse {number} {time.time()}"}]})
    while len(requests) == before:
        time.sleep(0.0005)
        if time.perf_counter() - started > 30:
            raise TimeoutError("no webhook within 30 s")
    return (time.perf_counter() - started) * 1000

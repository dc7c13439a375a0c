"""What `/metrics` reports: request latencies, queue depths, and how long the oldest waiting row has waited."""

import logging
import os
from collections.abc import Callable, Iterator

from celery import Celery
from django.db import DatabaseError
from kombu.exceptions import OperationalError
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import REGISTRY, Collector

from neotoma.queues import depths

log = logging.getLogger(__name__)

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)  # seconds
LATENCY = Histogram(
    "neotoma_request_seconds", "Time to answer, by route", ("method", "route", "status"), buckets=BUCKETS
)

# Kind of work row -> age in seconds of the oldest one that waits (0 when none does). Apps add theirs in ready().
OldestAge = Callable[[], float]
_OLDEST: dict[str, OldestAge] = {}


def observe_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count one answered request."""
    LATENCY.labels(method, route, str(status)).observe(seconds)


def report_oldest(kind: str, age: OldestAge) -> None:
    """Report the oldest waiting row of this kind; `age` runs one cheap query and answers seconds."""
    _OLDEST[kind] = age


class QueueDepth(Collector):
    """Messages waiting in each queue, asked passively so that any broker can answer; silent when it is down."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One gauge with a sample a queue, and whether the broker answered."""
        depth = GaugeMetricFamily("neotoma_queue_depth", "Messages waiting", labels=["queue"])
        up = GaugeMetricFamily("neotoma_broker_up", "1 when the broker answers", value=1)
        try:
            for queue, count in depths(self._app).items():
                depth.add_metric([queue], count)
        except (OperationalError, OSError):
            up = GaugeMetricFamily("neotoma_broker_up", "1 when the broker answers", value=0)
        yield up
        yield depth


class OldestPending(Collector):
    """Age of the oldest waiting row of each kind: the alert that works whatever the broker does."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One gauge with a sample a kind; a kind whose table cannot be read is left out and logged."""
        ages = GaugeMetricFamily("neotoma_oldest_pending_seconds", "Age of the oldest waiting row", labels=["kind"])
        for kind, age in _OLDEST.items():
            try:
                ages.add_metric([kind], age())
            except DatabaseError:
                log.warning("cannot read the oldest pending row", extra={"kind": kind})
        yield ages


def render(app: Celery) -> bytes:
    """The whole report in Prometheus' text format."""
    asked = CollectorRegistry()
    asked.register(QueueDepth(app))
    asked.register(OldestPending())
    return generate_latest(_counted()) + generate_latest(asked)


def _counted() -> CollectorRegistry:
    """What processes counted: all of them where they share a folder, else this one."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the package's own hints end here
    return registry

"""The processes of an instance: their commands, and the environment that they share."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from neotoma.lifeline import SUPERVISED
from neotoma.supervisor.broker import Broker

CELERY = (sys.executable, "-m", "celery", "--quiet", "-A", "neotoma.celery")
# Neighbours need no gossip in a group of three, and each of these costs a second at start.
QUIET = ("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING")
# A prefork worker that is told to stop hands a long task back to its queue instead of waiting for it.
REQUEUE_ON_STOP = {"REMAP_SIGTERM": "SIGQUIT"}


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many processes and threads each kind of work may use."""

    web_workers: int
    web_threads: int
    worker_slots: int
    webhook_threads: int
    runner_slots: int


@dataclass(frozen=True, slots=True)
class Service:
    """One process to keep alive."""

    name: str
    command: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict)


def broker_service(broker: Broker) -> list[Service]:
    """The broker's process, where the instance starts one of its own."""
    return [Service("broker", broker.command)] if broker.command else []


def services(host: str, port: int, data: Path, sizes: Sizes, broker: Broker) -> list[Service]:
    """Everything beside the broker, in the order in which it starts."""
    return [
        _web(host, port, data, sizes),
        _prefork("worker", ("issues", "mirror", "triage", "upkeep"), _pool(broker, sizes.worker_slots, 2)),
        _threads("webhooks", "webhooks", sizes.webhook_threads),
        _prefork("runner", ("runner",), _pool(broker, sizes.runner_slots, 1)),
        Service("beat", (*CELERY, "beat", "--schedule", str(data / "beat"), "--pidfile=", "--loglevel", "WARNING")),
    ]


def shared_environ(base: Mapping[str, str], broker: Broker, data: Path, base_url: str, port: int) -> dict[str, str]:
    """The environment of every process: what the supervisor decided, spelled out."""
    return {
        **base,
        SUPERVISED: "1",
        "CELERY_BROKER_URL": broker.url,
        "NEOTOMA_DATA": str(data),
        "NEOTOMA_BASE_URL": base_url,
        "NEOTOMA_PORT": str(port),
    }


def _web(host: str, port: int, data: Path, sizes: Sizes) -> Service:
    command = (
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--host", host, "--port", str(port)),
        *("--workers", str(sizes.web_workers), "--blocking-threads", str(sizes.web_threads)),
        *("--respawn-failed-workers", "--no-access-log", "--no-ws", "--log-level", "warning"),
        *("--workers-kill-timeout", "5", "neotoma.wsgi:application"),
    )
    # Several processes answer one /metrics, so they count in files.
    return Service("web", command, {"PROMETHEUS_MULTIPROC_DIR": str(data / "metrics")})


def _pool(broker: Broker, most: int, least: int) -> tuple[str, ...]:
    """A pool that grows under load, or of fixed size on files: there its scaling thread dies loudly in each stop."""
    if broker.url.startswith("filesystem:"):
        return ("--concurrency", str(min(2, most)))
    return ("--autoscale", f"{most},{least}")


def _prefork(name: str, queues: tuple[str, ...], pool: tuple[str, ...]) -> Service:
    return Service(name, (*_worker(name, queues), "--pool", "prefork", *pool, *QUIET), REQUEUE_ON_STOP)


def _threads(name: str, queue: str, threads: int) -> Service:
    return Service(name, (*_worker(name, (queue,)), "--pool", "threads", "--concurrency", str(threads), *QUIET))


def _worker(name: str, queues: tuple[str, ...]) -> tuple[str, ...]:
    return (*CELERY, "worker", "--hostname", f"{name}@%h", "--queues", ",".join(queues))

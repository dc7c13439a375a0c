"""An instance under test with all that belongs to it: database, broker, a subscription and who receives it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import requests

from tests.faults import stored
from tests.faults.broker import ForgetfulRedis, forgetful_redis
from tests.faults.checker import Fault, faults
from tests.faults.clientlog import Attempt
from tests.instance import Instance, free_port, own_database, running_instance
from tests.support.receiver import Receiver, receiver

SMALL = {"NEOTOMA_WORKER_SLOTS": "2", "NEOTOMA_RUNNER_SLOTS": "1", "NEOTOMA_WEBHOOK_THREADS": "4"}
"""Sizes that two cores can start again and again."""


@dataclass(frozen=True, slots=True)
class Site:
    """`redis`: the broker where it is the test's own, None where it is a child of the instance.

    `environ`: what the instance was started with, beyond the environment of this process.
    """

    instance: Instance
    database_url: str
    environ: Mapping[str, str]
    redis: ForgetfulRedis | None
    hook: Receiver

    def faults(self, attempts: Sequence[Attempt]) -> list[Fault]:
        """What is wrong at this moment."""
        received = [request.headers["webhook-id"] for request in list(self.hook.requests)]
        return faults(attempts, stored.read(self.database_url), received)


@contextmanager
def site(
    data: Path, server: str | None = None, *, own_redis: bool = False, env: Mapping[str, str] | None = None
) -> Iterator[Site]:
    """A running one. `server`: URL of a PostgreSQL server, None for SQLite. `own_redis`: on a `ForgetfulRedis`."""
    data.mkdir(exist_ok=True)
    with ExitStack() as stack:
        url = stack.enter_context(own_database(server)) if server else f"sqlite:///{data / 'neotoma.sqlite3'}"
        redis = stack.enter_context(forgetful_redis(data)) if own_redis else None
        environ = {**SMALL, "DATABASE_URL": url, "NEOTOMA_PORT": str(free_port()), **(env or {})}
        environ |= {"REDIS_URL": redis.url} if redis else {}
        hook = stack.enter_context(receiver(delay_s=0.02))
        instance = stack.enter_context(running_instance(data, env=environ))
        subscribe(instance, hook)
        yield Site(instance, url, environ, redis, hook)


@contextmanager
def started_again(place: Site) -> Iterator[Site]:
    """The same site with new processes, after those before have ended."""
    with running_instance(place.instance.data, env=place.environ) as instance:
        yield replace(place, instance=instance)


def servers() -> tuple[str | None, bool]:
    """What this run's tests use: the PostgreSQL server, and whether the broker is a Redis beside the instance."""
    database = os.environ.get("DATABASE_URL", "")
    return (database if database.startswith("postgres") else None), bool(os.environ.get("REDIS_URL"))


def subscribe(instance: Instance, hook: Receiver) -> None:
    """Send the receiver everything that a submission creates."""
    wanted = {
        "delivery_method": "webhook",
        "webhook_url": hook.url,
        "event_types": ["entity.created"],
        "entity_types": ["issue", "conversation", "conversation_message"],
    }
    headers = {"Authorization": f"Bearer {instance.operator_token}"}
    answer = requests.post(f"{instance.base_url}/api/subscriptions", json=wanted, headers=headers, timeout=30)
    assert answer.status_code == 201, answer.text

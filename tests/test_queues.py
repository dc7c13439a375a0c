"""What a worker takes first, on a real broker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import Task
from kombu import Connection, Consumer, Message

from neotoma.celery import Queue, app, use_broker
from neotoma.consumers import dispatch
from neotoma.operations.tasks import bring_in_line
from neotoma.queues import depths
from tests.faults.broker import forgetful_redis
from triage.consumers import intake
from triage.runner.tasks import run, tidy
from triage.tasks import assess
from webhooks.consumers import fan_out
from webhooks.tasks import deliver

# A task and its arguments. Looked up once the app is whole: until then it knows none of them.
MESSAGES: dict[str, Callable[[], tuple[Task[Any, Any], tuple[Any, ...]]]] = {
    "assess": lambda: (assess, (1,)),
    "bring_in_line": lambda: (bring_in_line, (1,)),
    "deliver": lambda: (deliver, (1,)),
    "dispatch": lambda: (dispatch, ([1],)),
    "fan_out.drain": lambda: (fan_out.drain, ()),
    "intake.drain": lambda: (intake.drain, ()),
    "run": lambda: (run, (1,)),
    "tidy": lambda: (tidy, ()),
}


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Connection]:
    """A connection to a Redis of the test's own."""
    with forgetful_redis(tmp_path) as redis, Connection(redis.url) as connection:
        yield connection


@pytest.mark.parametrize(
    ("slow", "quick"),
    [
        ("assess", "intake.drain"),
        ("assess", "dispatch"),
        ("deliver", "fan_out.drain"),
        ("run", "tidy"),
        ("bring_in_line", "dispatch"),
    ],
)
def test_a_backlog_of_rows_is_overtaken_by_what_finds_work(broker: Connection, slow: str, quick: str) -> None:
    publish(broker, *[slow] * 5, quick)
    assert [message.headers["task"] for message in taken(broker, 6)] == [name_of(quick), *[name_of(slow)] * 5]


def test_a_backlog_is_counted_whole(broker: Connection) -> None:
    publish(broker, "assess", "assess", "intake.drain")
    asked = Queue("asked", set_as_current=False)
    use_broker(asked, broker.as_uri(include_password=True))
    assert depths(asked)["triage"] == 3


@pytest.mark.parametrize("task", ["assess", "run"])
def test_a_message_for_a_row_expires_once_the_sweep_has_asked_again(broker: Connection, task: str) -> None:
    publish(broker, task)
    (message,) = taken(broker, 1)
    assert message.headers["expires"] is not None


def name_of(message: str) -> str:
    task, _ = MESSAGES[message]()
    return task.name


def publish(broker: Connection, *messages: str) -> None:
    with broker.Producer() as producer:
        for message in messages:
            task, args = MESSAGES[message]()
            task.apply_async(args, producer=producer)


def taken(broker: Connection, count: int) -> list[Message]:
    """As a worker of every queue takes them, one at a time."""
    found: list[Message] = []

    def take(_: object, message: Message) -> None:
        message.ack()
        found.append(message)

    with broker.channel() as channel:
        consumer = Consumer(channel, list(app.amqp.queues.values()), callbacks=[take], accept=["json"])
        consumer.qos(prefetch_count=1)
        with consumer:
            while len(found) < count:
                broker.drain_events(timeout=10)
    return found

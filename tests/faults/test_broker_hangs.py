"""A broker that takes connections and never answers is given up soon, and used again once it answers."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from neotoma.celery import Queue, app, use_broker
from neotoma.consumers import dispatch, publish_now
from tests.faults.broker import ForgetfulRedis, forgetful_redis


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[ForgetfulRedis]:
    """A Redis of the test's own, through which this process publishes meanwhile."""
    with forgetful_redis(tmp_path) as one:
        publisher = Queue("publisher")
        use_broker(publisher, one.url)
        publisher.set_current()
        yield one
        publisher.close()
        app.set_current()


def test_a_publish_gives_up_and_the_next_one_works(redis: ForgetfulRedis) -> None:
    assert redis.process is not None
    redis.process.send_signal(signal.SIGSTOP)
    assert publish_now([(dispatch, {"batch_ids": [1]})]) is False
    redis.process.send_signal(signal.SIGCONT)
    assert publish_now([(dispatch, {"batch_ids": [2]})]) is True


def test_only_publishing_is_impatient(redis: ForgetfulRedis) -> None:
    publisher = Queue("publisher")
    use_broker(publisher, redis.url)
    with publisher.connection_for_read() as reading, publisher.connection_for_write() as writing:
        patience = [(one.transport_options or {})["socket_timeout"] for one in (writing, reading)]
    assert patience[0] < 1 < patience[1]

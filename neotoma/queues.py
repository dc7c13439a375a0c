"""The queues, which task goes to which, and how many messages wait in each."""

from typing import Any

from celery import Celery
from kombu import Connection
from kombu.exceptions import ChannelError, OperationalError

# `mirror` is kept for the mirror of public issues: nothing is queued there yet.
QUEUES = ("webhooks", "issues", "mirror", "triage", "runner", "upkeep")

LATER = 6
"""Priority of tasks that work off rows, where the broker knows priorities (to Redis 0 is first). Whatever finds work
overtakes them: a backlog delays itself, and neither what wakes a consumer nor what the consumer makes of its events.
"""

# The first match wins, so the narrow patterns come first.
ROUTES = {
    "triage.runner.tasks.run": {"queue": "runner", "priority": LATER},
    "triage.tasks.assess": {"queue": "triage", "priority": LATER},
    "webhooks.tasks.deliver": {"queue": "webhooks", "priority": LATER},
    "neotoma.operations.tasks.bring_in_line": {"queue": "upkeep", "priority": LATER},
    "triage.runner.*": {"queue": "runner"},
    "issues.mirror.*": {"queue": "mirror"},
    "issues.*": {"queue": "issues"},
    "triage.*": {"queue": "triage"},
    "webhooks.*": {"queue": "webhooks"},
    "neotoma.*": {"queue": "upkeep"},
}

ASKED_S = 60
"""Seconds after which a message for one row is not worth taking: the sweep has asked for the row again since. Else a
backlog would get longer with each sweep.
"""

ANSWER_SECONDS = 1.0
"""How long a broker may take to answer one question of this module; it is asked to connect twice."""


def depths(app: Celery, queues: tuple[str, ...] = QUEUES) -> dict[str, int]:
    """Messages waiting by queue; a queue that nobody declared yet holds none. Raises OperationalError, OSError.

    A broker that takes the connection and stays silent is given up within three seconds.
    """
    options = _impatience(str(app.conf.broker_read_url or app.conf.broker_url or ""))
    with app.connection_for_read(connect_timeout=ANSWER_SECONDS, transport_options=options) as connection:
        connection.ensure_connection(max_retries=1, interval_start=0)
        try:
            return {queue: _depth(connection, queue) for queue in queues}
        except connection.connection_errors as error:
            raise OperationalError(str(error)) from error


def _impatience(url: str) -> dict[str, float]:
    """What keeps a question short, in the words of each transport: the workers' own connections are patient."""
    if url.startswith(("redis", "rediss", "valkey")):
        return {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": ANSWER_SECONDS}
    if url.startswith(("amqp", "pyamqp")):
        return {"read_timeout": ANSWER_SECONDS, "write_timeout": ANSWER_SECONDS}
    return {}


def broker_answers(app: Celery) -> bool:
    """Whether a connection to the broker can be made."""
    try:
        depths(app, ())
    except (OperationalError, OSError):
        return False
    return True


def _depth(connection: Connection, queue: str) -> int:
    # A channel each: a broker closes the one on which a passive declare failed.
    channel: Any  # each transport has its own kind, and the common base declares no queue
    with connection.channel() as channel:
        try:
            return int(channel.queue_declare(queue, passive=True).message_count)
        except ChannelError:
            return 0

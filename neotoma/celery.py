"""The Celery app: broker options and the beat schedule."""

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from celery import Celery, signals
from celery.exceptions import SecurityWarning
from django.conf import settings
from kombu import Connection

from neotoma.lifeline import SUPERVISED, die_with_parent
from neotoma.logs import bind_request_id, configure, current_request_id, forget_request_id
from neotoma.queues import ROUTES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "neotoma.settings")

# Sweeps only find what a lost message left behind; the usual path is the kick after a commit. Seconds.
SCHEDULE: dict[str, dict[str, Any]] = {
    "drain every consumer": {"task": "neotoma.tasks.drain_all", "schedule": 5.0},
    "sweep backfills": {"task": "neotoma.operations.tasks.sweep_backfills", "schedule": 30.0},
    "prune by retention": {"task": "neotoma.tasks.prune", "schedule": 3600.0},
    "extend grants of open issues": {"task": "issues.tasks.extend_open_grants", "schedule": 3600.0},
    "sweep webhooks": {"task": "webhooks.tasks.sweep", "schedule": 5.0},
    "prune webhooks": {"task": "webhooks.tasks.prune", "schedule": 3600.0},
    "sweep cases and runs": {"task": "triage.tasks.sweep", "schedule": 30.0},
    "tidy worktrees": {"task": "triage.runner.tasks.tidy", "schedule": 3600.0},
}

if SUPERVISED in os.environ:
    # Once for each worker, and with advice that `manage.py up` has no option for: its greeting says it instead.
    warnings.filterwarnings("ignore", "You're running the worker with superuser privileges", SecurityWarning)

PUBLISH_SECONDS = 0.5
"""A publish takes a millisecond; one that takes this long is given up, and a sweep finds its work."""

# Packages whose tasks live one level below an app.
NESTED_TASKS = ["neotoma", "issues.mirror", "triage.runner"]


def transport_options(url: str, data: Path, prefix: str, longest_task: int) -> dict[str, Any]:
    """What kombu must know beyond the URL. `longest_task` in seconds: a shorter wait would run a task twice."""
    if url.startswith("filesystem:"):
        folder = str(data / "broker")
        messages = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": str(data / "broker-control")}
        return {**messages, "polling_interval": 0.05}
    if not url.startswith(("redis", "rediss", "valkey")):
        return {}
    options: dict[str, Any] = {
        "visibility_timeout": longest_task + 600,
        # The defaults look for messages of dead workers only every 100 s.
        "unacked_restore_interval": 10,
        "unacked_restore_throttle": 1,
        "socket_timeout": 30,
        "socket_connect_timeout": 2,
        "health_check_interval": 25,
    }
    return {**options, "global_keyprefix": prefix} if prefix else options


def use_broker(target: Celery, url: str) -> None:
    """Point the app at a broker; the supervisor calls it again once it has chosen one.

    Celery itself reads CELERY_BROKER_URL too, and lets it win over anything that is set here.
    """
    options = transport_options(
        url, settings.NEOTOMA_DATA, settings.NEOTOMA_QUEUE_PREFIX, settings.NEOTOMA_TASK_SECONDS
    )
    target.conf.update(broker_url=url, broker_transport_options=options)


class Queue(Celery):
    """The app. Who publishes waits a moment at most: a broker that hangs must not hold up a write that is done."""

    def connection_for_write(self, url: str | None = None, *args: Any, **kwargs: Any) -> Connection:
        """A connection for publishing; reading ones wait for messages and are patient."""
        if "socket_timeout" in self.conf.broker_transport_options:
            kwargs["transport_options"] = {"socket_timeout": PUBLISH_SECONDS, **kwargs.get("transport_options", {})}
        return super().connection_for_write(url, *args, **kwargs)


app = Queue("neotoma")
app.conf.update(
    task_ignore_result=True,  # state lives in rows; nobody reads a result
    result_backend=None,
    task_serializer="json",
    accept_content=["json"],
    task_default_queue="upkeep",
    task_routes=ROUTES,
    worker_prefetch_multiplier=1,
    worker_max_tasks_per_child=1000,
    worker_soft_shutdown_timeout=5.0,  # seconds that a running task gets before it goes back to its queue
    worker_send_task_events=False,
    broker_connection_retry_on_startup=True,
    # A writer never waits for a dead broker: 3 ms instead of 0.6 s; the sweeps find what was not announced.
    task_publish_retry_policy={"max_retries": 0},
    # A sweep that still waits when the next one is due would only be in its way.
    beat_schedule={name: {**one, "options": {"expires": one["schedule"]}} for name, one in SCHEDULE.items()},
    timezone="UTC",
)
use_broker(app, settings.CELERY_BROKER_URL)
# The current app is kept per thread, so the threads of a web server would otherwise publish to amqp://localhost.
app.set_default()
app.autodiscover_tasks()
app.autodiscover_tasks(related_name="consumers")
app.autodiscover_tasks(NESTED_TASKS)
app.autodiscover_tasks(NESTED_TASKS, related_name="consumers")


@signals.setup_logging.connect
def _own_logs(**_: object) -> None:
    """Keep Celery from replacing the project's logging."""
    configure(settings.LOGGING)


@signals.worker_process_init.connect
def _end_with_worker(**_: object) -> None:
    """A pool process must not outlive a worker that was killed."""
    die_with_parent()


@signals.before_task_publish.connect
def _send_request_id(headers: dict[str, Any] | None = None, **_: object) -> None:
    """Let a task log under the request that caused it."""
    request_id = current_request_id()
    if headers is not None and request_id:
        headers["request_id"] = request_id


@signals.task_prerun.connect
def _take_request_id(task: Any = None, **_: object) -> None:
    """Log under the request that caused the task, else under the task's own id."""
    caused_by: Mapping[str, Any] = getattr(task.request, "headers", None) or {}
    bind_request_id(str(caused_by.get("request_id") or getattr(task.request, "request_id", None) or task.request.id))


@signals.task_postrun.connect
def _drop_request_id(**_: object) -> None:
    """The next task of this process is somebody else's."""
    forget_request_id()

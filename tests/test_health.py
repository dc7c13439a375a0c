"""`/healthz`, `/readyz` and `/metrics`."""

import json
import re
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from unittest.mock import patch

import pytest
from celery import Celery
from django.db import DatabaseError
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import timezone

from neotoma import health
from neotoma.access.bootstrap import ensure_instance
from neotoma.celery import Queue, app, use_broker
from neotoma.metrics import observe_request, render, report_oldest
from neotoma.operations.invoke import call
from neotoma.queues import QUEUES, broker_answers, depths
from tests.instance import free_port
from tests.support.brokers import greets_then_hangs, hangs
from tests.support.callers import operator
from tests.triage.desk import filed, live, plan_of, settled
from tests.webhooks.world import agent, fan_out, store, subscribe
from triage.models import Case, Run
from webhooks.models import Delivery

SOON = 3.0  # seconds

pytestmark = pytest.mark.django_db  # a report also asks the tables how long their oldest row has waited


def test_healthz_needs_nothing_but_the_process() -> None:
    response = health.healthz(RequestFactory().get("/healthz"))
    assert (response.status_code, json.loads(response.content)["status"]) == (200, "ok")


@pytest.fixture
def on_broker(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Queue]:
    """Let the pages speak to another broker than the tests of this process do."""

    def use(url: str) -> Queue:
        asked = Queue("asked", set_as_current=False)
        use_broker(asked, url)
        monkeypatch.setattr(health, "app", asked)
        return asked

    return use


@pytest.fixture(params=["redis", "amqp"])
def silent_broker(request: pytest.FixtureRequest) -> Iterator[str]:
    """URL of a broker that takes connections and never says a word."""
    with hangs() as port:
        yield f"{request.param}://127.0.0.1:{port}/"


def test_readyz_answers_with_database_and_broker() -> None:
    response = health.readyz(RequestFactory().get("/readyz"))
    assert response.status_code == 200
    assert json.loads(response.content) == {"status": "ready", "database": True, "broker": True}


def test_readyz_is_503_without_its_database() -> None:
    with patch("neotoma.health.connection.cursor", side_effect=DatabaseError):
        response = health.readyz(RequestFactory().get("/readyz"))
    assert response.status_code == 503
    assert json.loads(response.content)["database"] is False


def test_readyz_names_a_broker_that_hangs_and_does_not_hang_with_it(
    silent_broker: str, on_broker: Callable[[str], Queue]
) -> None:
    on_broker(silent_broker)
    began = time.monotonic()
    response = health.readyz(RequestFactory().get("/readyz"))
    assert time.monotonic() - began < SOON
    assert response.status_code == 503
    told = {"status": "unavailable", "unanswered": ["broker"], "database": True, "broker": False}
    assert json.loads(response.content) == told


def test_metrics_leave_out_the_depths_of_a_broker_that_hangs(
    silent_broker: str, on_broker: Callable[[str], Queue]
) -> None:
    on_broker(silent_broker)
    began = time.monotonic()
    response = _metrics("127.0.0.1")
    assert time.monotonic() - began < SOON
    assert response.status_code == 200
    assert b"neotoma_broker_up 0.0" in response.content
    assert b"neotoma_queue_depth{" not in response.content


def test_a_broker_that_hangs_once_it_is_asked_for_depths_is_given_up_too(on_broker: Callable[[str], Queue]) -> None:
    with greets_then_hangs() as port:
        on_broker(f"redis://127.0.0.1:{port}/0")
        began = time.monotonic()
        response = _metrics("127.0.0.1")
        assert time.monotonic() - began < SOON
    assert response.status_code == 200
    assert b"neotoma_broker_up 0.0" in response.content


def _metrics(address: str, **headers: str) -> HttpResponse:
    return health.metrics(RequestFactory(REMOTE_ADDR=address, headers=headers).get("/metrics"))


def test_metrics_are_for_this_machine() -> None:
    response = _metrics("127.0.0.1")
    assert response.status_code == 200
    assert b"neotoma_queue_depth" in response.content


@pytest.mark.parametrize(
    ("address", "headers"), [("203.0.113.7", {}), ("127.0.0.1", {"X-Forwarded-For": "203.0.113.7"})]
)
def test_metrics_do_not_exist_for_others(address: str, headers: dict[str, str]) -> None:
    assert _metrics(address, **headers).status_code == 404


@pytest.mark.parametrize(
    ("token_of", "status"),
    [(lambda made: made.operator_token, 200), (lambda made: made.reporter_token, 404), (lambda made: "ntk_no", 404)],
)
def test_metrics_are_for_operators_from_anywhere(token_of: Callable[[object], str], status: int) -> None:
    token = token_of(ensure_instance({}))
    assert _metrics("203.0.113.7", Authorization=f"Bearer {token}").status_code == status


def test_requests_are_counted_by_route() -> None:
    observe_request("GET", "api/things/<id>", 200, 0.02)
    line = 'neotoma_request_seconds_count{method="GET",route="api/things/<id>",status="200"} 1.0'
    assert line in render(app).decode()


def test_the_oldest_waiting_row_is_reported_and_a_broken_table_hides_only_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("neotoma.metrics._OLDEST", {})

    def unreadable() -> float:
        raise DatabaseError

    report_oldest("kind_a", lambda: 12.5)
    report_oldest("kind_b", unreadable)
    text = render(app).decode()
    assert 'neotoma_oldest_pending_seconds{kind="kind_a"} 12.5' in text
    assert "kind_b" not in text


def _oldest() -> dict[str, float]:
    """Seconds by kind, as they are reported."""
    found = re.findall(r'^neotoma_oldest_pending_seconds{kind="(\w+)"} (\S+)$', render(app).decode(), re.MULTILINE)
    return {kind: float(seconds) for kind, seconds in found}


def test_every_kind_of_work_row_says_how_long_its_oldest_has_waited() -> None:
    assert _oldest() == {"case": 0, "delivery": 0, "run": 0}
    live(reporting_mode="off")
    subscribe(agent("ant"), entity_types=["task"])
    store(agent("ant"), title="dig")
    issue = filed()
    settled()
    call("approve_plan", {"plan_id": plan_of(issue).pk, "revision": 1}, operator())
    settled()
    fan_out()
    long_ago = timezone.now() - timedelta(hours=1)
    Case.objects.update(state="new", due_at=long_ago)
    Run.objects.update(queued_at=long_ago - timedelta(hours=1))
    Delivery.objects.update(created_at=long_ago - timedelta(hours=2))
    assert [round(seconds / 3600) for _, seconds in sorted(_oldest().items())] == [1, 3, 2]
    Delivery.objects.update(outcome="delivered")
    call("pause", {}, operator())
    assert _oldest() == {"case": 0, "delivery": 0, "run": 0}


def test_waiting_messages_are_counted_by_queue() -> None:
    own = Celery("own", broker="memory://", set_as_current=False)
    for _ in range(2):
        own.send_task("webhooks.tasks.deliver", queue="busy")
    assert depths(own, ("busy", "never declared")) == {"busy": 2, "never declared": 0}
    assert set(depths(own)) == set(QUEUES)


def test_a_dead_broker_is_reported_and_breaks_nothing() -> None:
    dead = Celery("dead", broker=f"redis://127.0.0.1:{free_port()}/0", set_as_current=False)
    assert not broker_answers(dead)
    assert "neotoma_broker_up 0.0" in render(dead).decode()

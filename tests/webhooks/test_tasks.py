"""The tasks: work off what waits, find what was lost, give up what died, forget what is old."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import TestCase
from django.utils import timezone

from neotoma.celery import app
from neotoma.queues import depths
from tests.support.receiver import receiver
from tests.webhooks.world import agent, fan_out, send_all, store, subscribe
from webhooks import tasks
from webhooks.attempts import DEADLINE, SLOTS, claim_next
from webhooks.models import Delivery, Outcome

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _local_targets(settings: Any) -> None:
    settings.NEOTOMA_ALLOW_LOCAL_WEBHOOKS = True


def asked_for() -> int:
    """How many messages wait in the queue of webhooks."""
    return depths(app)["webhooks"]


def test_one_message_works_off_what_waits_for_its_subscription_in_order() -> None:
    ant = agent("ant")
    with receiver() as hook:
        subscribe(ant, entity_types=["task"], webhook_url=hook.url)
        subscribe(ant, entity_types=["note"], webhook_url=hook.url)
        for number in range(3):
            store(ant, title=str(number))
        store(ant, entity_type="note", title="another's")
        deliveries = fan_out()
        assert tasks.deliver(deliveries[1].pk) == 3
        assert [one.headers["webhook-id"] for one in hook.requests] == [f"dlv_{one.pk}" for one in deliveries[:3]]
        assert tasks.deliver(deliveries[1].pk) == 0


def test_a_message_about_nothing_is_harmless() -> None:
    assert tasks.deliver(123_456) == 0


def test_a_dead_claim_becomes_unknown_and_is_never_sent_again() -> None:
    ant = agent("ant")
    with receiver() as hook:
        mine = subscribe(ant, entity_types=["task"], webhook_url=hook.url)["subscription_id"]
        store(ant, title="dig")
        fan_out()
        assert claim_next(mine) is not None  # and here the worker dies
        tasks.sweep()
        assert Delivery.objects.get().outcome == Outcome.ATTEMPTING
        Delivery.objects.update(attempted_at=timezone.now() - DEADLINE - timedelta(seconds=1))
        before = asked_for()
        assert tasks.sweep() == 0
        assert asked_for() == before
        (delivery,) = send_all()
        assert hook.connections == 0
    assert (delivery.outcome, delivery.error) == (Outcome.UNKNOWN, "unrecorded")


def test_a_lost_message_is_sent_again_by_the_sweep_and_not_at_every_beat() -> None:
    ant = agent("ant")
    subscribe(ant, entity_types=["task"])
    store(ant, title="dig")
    fan_out()
    before = asked_for()
    assert tasks.sweep() == 0  # it is not late yet
    Delivery.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert tasks.sweep() == 1
    assert tasks.sweep() == 0
    assert asked_for() == before + 1


def test_a_sweep_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    ant = agent("ant")
    subscribe(ant, entity_types=["task"])
    for number in range(3):
        store(ant, title=str(number))
    fan_out()
    Delivery.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    monkeypatch.setattr(tasks, "BATCH", 2)
    assert [tasks.sweep(), tasks.sweep(), tasks.sweep()] == [2, 1, 0]


def test_a_burst_for_one_endpoint_is_no_burst_of_messages() -> None:
    ant = agent("ant")
    with receiver() as hook:
        subscribe(ant, entity_types=["task"], webhook_url=hook.url)
        subscribe(ant, entity_types=["note"], webhook_url=hook.url)
        for number in range(SLOTS + 3):
            store(ant, title=str(number))
        store(ant, entity_type="note", title="another's")
        before = asked_for()
        with TestCase.captureOnCommitCallbacks(execute=True):
            deliveries = fan_out()
        assert asked_for() == before + SLOTS + 1
        Delivery.objects.update(due_at=timezone.now() - timedelta(seconds=1))
        assert tasks.sweep() == len(deliveries)
        assert asked_for() == before + 2 * (SLOTS + 1)
        assert [tasks.deliver(deliveries[0].pk), tasks.deliver(deliveries[-1].pk)] == [SLOTS + 3, 1]


def test_pruning_forgets_old_ends_and_keeps_what_waits(settings: Any) -> None:
    ant = agent("ant")
    subscribe(ant, entity_types=["task"])
    for outcome in (Outcome.DELIVERED, Outcome.UNKNOWN, Outcome.PENDING, Outcome.FAILED):
        store(ant, title=outcome.value)
        newest = fan_out()[-1]
        Delivery.objects.filter(pk=newest.pk).update(outcome=outcome)
    settings.NEOTOMA_EVENT_RETENTION_DAYS = 30
    old = Delivery.objects.exclude(outcome=Outcome.FAILED)
    old.update(created_at=timezone.now() - timedelta(days=31))
    assert tasks.prune() == 2
    assert {one.outcome for one in Delivery.objects.all()} == {Outcome.PENDING, Outcome.FAILED}

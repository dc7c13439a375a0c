"""Attempt deliveries, and on a beat find what a lost message or a dead worker left behind."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from neotoma.consumers import publish_now
from neotoma.queues import ASKED_S
from webhooks.attempts import DEADLINE, SLOTS, Claim, attempt, claim_next
from webhooks.models import WAITING, Delivery, Outcome

log = logging.getLogger(__name__)

GRACE = timedelta(seconds=2)
"""How long the message of a new delivery may take before a sweep sends another."""
AGAIN = timedelta(seconds=30)
"""And how long before the sweep asks once more, so that a long queue is not filled with the same requests."""
BATCH = 500
"""Deliveries that one sweep asks for."""
TURN_S = 30.0
"""Seconds after which a subscription with much to send lets others have the thread."""


@shared_task(name="webhooks.tasks.deliver", expires=ASKED_S)
def deliver(delivery_id: int) -> int:
    """Attempt what waits for the subscription of this delivery, oldest first; answers how many attempts it made.

    A message that finds every slot of its subscription taken ends at once: those who hold them go on with its row. One
    that finds the database busy ends too, and the sweep asks again.
    """
    subscription_id = Delivery.objects.filter(pk=delivery_id).values_list("subscription_id", flat=True).first()
    if subscription_id is None:
        return 0
    made, ends = 0, time.monotonic() + TURN_S
    while (claim := _claim(subscription_id)) is not None:
        attempt(claim)
        made += 1
        if time.monotonic() >= ends:
            publish_now([(deliver, {"delivery_id": delivery_id})])
            break
    return made


def _claim(subscription_id: str) -> Claim | None:
    try:
        return claim_next(subscription_id)
    except OperationalError as error:
        log.warning("no claim: %s", error)
        return None


@shared_task(name="webhooks.tasks.sweep")
def sweep() -> int:
    """Give up dead claims as unknown, then ask again for deliveries that wait too long; answers how many of these.

    A claim that died is never sent again: whether it arrived, nobody knows.
    """
    now = timezone.now()
    dead = Delivery.objects.filter(outcome=Outcome.ATTEMPTING, attempted_at__lt=now - DEADLINE)
    dead.update(outcome=Outcome.UNKNOWN, error="unrecorded")
    late = Delivery.objects.filter(outcome=Outcome.PENDING, due_at__lte=now)
    found = list(late.order_by("due_at").values_list("subscription_id", "pk")[:BATCH])
    if found and publish_now((deliver, {"delivery_id": pk}) for pk in enough(found)):
        asked = [pk for _, pk in found]
        Delivery.objects.filter(pk__in=asked, outcome=Outcome.PENDING).update(due_at=now + AGAIN)
    return len(found)


def enough(waiting: Iterable[tuple[str, int]]) -> list[int]:
    """Of (subscription, delivery) the deliveries to ask for: no more for a subscription than may be under way at once.

    Each of them goes on with the others, so a burst of events for one endpoint is no burst of messages.
    """
    asked: Counter[str] = Counter()
    chosen = []
    for subscription_id, delivery_id in waiting:
        asked[subscription_id] += 1
        if asked[subscription_id] <= SLOTS:
            chosen.append(delivery_id)
    return chosen


@shared_task(name="webhooks.tasks.prune")
def prune() -> int:
    """Forget deliveries that ended longer ago than events are kept; answers how many."""
    keep_from = timezone.now() - timedelta(days=settings.NEOTOMA_EVENT_RETENTION_DAYS)
    gone, _ = Delivery.objects.filter(created_at__lt=keep_from).exclude(outcome__in=WAITING).delete()
    return gone

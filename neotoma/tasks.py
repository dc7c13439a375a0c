"""Upkeep on a beat: drain every consumer, prune what has expired."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from neotoma.access.models import RateWindow
from neotoma.consumers import consumers, publish_now
from neotoma.operations.models import Call
from neotoma.substrate.models import ConsumerOffset, Event, EventBatch, RetentionPass

RATE_WINDOW_S = 3600
"""Length of every rate limit's window."""


@shared_task(name="neotoma.tasks.drain_all")
def drain_all() -> list[str]:
    """Wake every consumer that is behind the log, whatever became of its kick; answers their names.

    Those that want nothing of it move on too, so that retention is not held up by an idle one.
    """
    end = Event.objects.order_by("-seq").values_list("seq", flat=True).first() or 0
    taken = dict(ConsumerOffset.objects.values_list("consumer", "seq"))
    behind = [one for one in consumers().values() if taken.get(one.name, 0) < end]
    publish_now((one.drain, {}) for one in behind)
    return [one.name for one in behind]


@shared_task(name="neotoma.tasks.prune")
def prune() -> int:
    """Forget expired idempotency memory and events past retention that every consumer has read; answers events gone."""
    now = timezone.now()
    Call.objects.filter(expires_at__lt=now).delete()
    RateWindow.objects.filter(window__lt=now.timestamp() // RATE_WINDOW_S - 1).delete()
    taken = dict(ConsumerOffset.objects.values_list("consumer", "seq"))
    read_by_all = min((taken.get(name, 0) for name in consumers()), default=0)
    keep_from = now - timedelta(days=settings.NEOTOMA_EVENT_RETENTION_DAYS)
    with transaction.atomic():
        opened = RetentionPass.objects.create()
        EventBatch.objects.filter(created_at__lt=keep_from, last_seq__lte=read_by_all).delete()
        gone, _ = Event.objects.filter(created_at__lt=keep_from, seq__lte=read_by_all).delete()
        opened.delete()
    return gone

"""The slow part of a changed entity type: batch by batch, until every stored entity follows the definition."""

from __future__ import annotations

import time
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from neotoma.consumers import publish_now
from neotoma.substrate import backfill
from neotoma.substrate.models import Backfill

TURN_SECONDS = 20.0
"""How long a task goes on before it lets others have the worker."""
GRACE = timedelta(seconds=60)
"""How long a backfill may rest before a sweep wakes it."""


@shared_task(name="neotoma.operations.tasks.bring_in_line")
def bring_in_line(backfill_id: int) -> int:
    """Work on a backfill for a while, and ask for the next turn; answers how many batches were done."""
    until, done = time.monotonic() + TURN_SECONDS, 0
    while backfill.step(backfill_id, timezone.now()):
        done += 1
        if time.monotonic() >= until:
            publish_now([(bring_in_line, {"backfill_id": backfill_id})])
            break
    return done


@shared_task(name="neotoma.operations.tasks.sweep_backfills")
def sweep_backfills() -> int:
    """Wake what a lost message or a dead worker left behind; answers how many."""
    late = list(Backfill.objects.filter(touched_at__lte=timezone.now() - GRACE).values_list("pk", flat=True))
    publish_now((bring_in_line, {"backfill_id": pk}) for pk in late)
    return len(late)

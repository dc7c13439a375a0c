"""Webhooks react to what was stored: one delivery row for each event and subscription that want each other."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from django.utils import timezone

from neotoma.consumers import after_commit_many, consumer
from neotoma.substrate.models import Event
from webhooks.models import Delivery, Outcome
from webhooks.selection import missed, recipients, wanted, watching
from webhooks.tasks import GRACE, deliver, enough

BATCH = 1_000
"""Rows of one INSERT."""


@consumer("webhooks.fan_out", wanted=wanted)
def fan_out(events: Sequence[Event]) -> None:
    """Write the work rows and, once they are committed, ask for their attempts."""
    due_at = timezone.now() + GRACE
    pairs = {(subscription.pk, event.seq) for subscription, event in recipients(events, watching(events))}
    pairs |= {(subscription.pk, event.seq) for subscription, event in missed(events)}
    rows = [Delivery(subscription_id=pk, seq=seq, due_at=due_at) for pk, seq in sorted(pairs, key=itemgetter(1, 0))]
    if not rows:
        return
    Delivery.objects.bulk_create(rows, batch_size=BATCH, ignore_conflicts=True)
    after_commit_many(deliver, [{"delivery_id": pk} for pk in enough(_waiting(rows))])


def _waiting(rows: Sequence[Delivery]) -> list[tuple[str, int]]:
    """Subscription and id of those that still wait; an INSERT that ignores what is there already answers none."""
    found = Delivery.objects.filter(
        subscription__in={row.subscription_id for row in rows},
        seq__in={row.seq for row in rows},
        outcome=Outcome.PENDING,
    )
    return list(found.order_by("seq", "pk").values_list("subscription_id", "pk"))

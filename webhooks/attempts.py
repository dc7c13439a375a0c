"""One attempt at one delivery: claimed, checked again, sent, recorded."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Min
from django.utils import timezone

from neotoma.access.authenticate import server_key
from neotoma.substrate.models import Event
from webhooks import sender
from webhooks.bodies import delivery_body
from webhooks.models import Delivery, Outcome, Subscription
from webhooks.selection import recipients
from webhooks.signing import derive_secret, signed_headers

DEADLINE = timedelta(seconds=20)
"""After it a claim is dead: an attempt itself is over in ten seconds."""
AGAIN_S = 0.2
"""Between two tries to write an outcome down."""
SLOTS = 4
"""Attempts that one subscription may have under way, so that a slow endpoint holds only these."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to make one attempt. Nobody else ever gets it again."""

    delivery_id: int
    claimed_at: datetime


def claim_next(subscription_id: str) -> Claim | None:
    """Claim the oldest delivery that waits for a subscription, and commit; None without one or without a free slot."""
    now = timezone.now()
    with transaction.atomic():
        # Not for the row's own sake: whoever holds it is the only one who counts and claims.
        Subscription.objects.select_for_update(no_key=True).filter(pk=subscription_id).first()
        rows = Delivery.objects.filter(subscription=subscription_id)
        if rows.filter(outcome=Outcome.ATTEMPTING).count() >= SLOTS:
            return None
        waiting = rows.filter(outcome=Outcome.PENDING)
        found = waiting.order_by("seq").values_list("pk", flat=True).first()
        if found is None:
            return None
        won = waiting.filter(pk=found).update(outcome=Outcome.ATTEMPTING, attempted_at=now)
    return Claim(found, now) if won else None


def oldest_pending_s() -> float:
    """Seconds that the oldest delivery has waited for its attempt; 0 when none waits."""
    oldest = Delivery.objects.filter(outcome=Outcome.PENDING).aggregate(oldest=Min("created_at"))["oldest"]
    return (timezone.now() - oldest).total_seconds() if oldest else 0.0


def attempt(claim: Claim) -> None:
    """Send what was claimed, once, and record how it went."""
    delivery = Delivery.objects.select_related("subscription").get(pk=claim.delivery_id)
    event = Event.objects.filter(pk=delivery.seq).first()
    if event is None:
        _record(claim, outcome=Outcome.FAILED, error="expired", attempted_at=None)
    elif not _still_due(delivery, event):
        _record(claim, outcome=Outcome.FAILED, error="withdrawn", attempted_at=None)
    else:
        _record_sent(claim, _send(delivery, event, claim.claimed_at))


def _still_due(delivery: Delivery, event: Event) -> bool:
    """Whether the subscription is active, its credential counts and the entity is visible to it at this moment."""
    among = Subscription.objects.live_webhooks().filter(pk=delivery.subscription_id)
    return any(True for _ in recipients([event], among))


def _send(delivery: Delivery, event: Event, claimed_at: datetime) -> sender.Outcome:
    subscription = delivery.subscription
    body = delivery_body(event.payload(), subscription.pk, delivery.delivery_id)
    secret = derive_secret(server_key().encode(), subscription.nonce)
    headers = signed_headers(delivery.delivery_id, int(claimed_at.timestamp()), body, [secret])
    return sender.send(subscription.webhook_url, body, headers, allow_local=settings.NEOTOMA_ALLOW_LOCAL_WEBHOOKS)


def _record_sent(claim: Claim, sent: sender.Outcome) -> None:
    """The database may have gone, or be busy, while the endpoint took its time: ask it again, on new connections, for
    as long as nobody gives the claim up.
    """
    columns = {
        "outcome": sent.state,
        "http_status": sent.http_status,
        "duration_ms": sent.duration_ms,
        "error": sent.error or "",
        "response_head": sent.response_head,
    }
    while True:
        try:
            return _record(claim, **columns)
        except (OperationalError, InterfaceError):
            connection.close()
            if timezone.now() >= claim.claimed_at + DEADLINE:
                raise
            time.sleep(AGAIN_S)


def _record(claim: Claim, **columns: object) -> None:
    """Write the end of exactly this claim; a late one is still the truth, so it replaces `unknown`."""
    mine = Delivery.objects.filter(pk=claim.delivery_id, attempted_at=claim.claimed_at)
    mine.filter(outcome__in=(Outcome.ATTEMPTING, Outcome.UNKNOWN)).update(**columns)

"""Subscriptions as a typed table, what they watch, and one work row for each delivery."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Now

from neotoma.access.principals import Principal
from neotoma.substrate.filters import EventFilter
from neotoma.substrate.models import Entity


class Method(models.TextChoices):
    WEBHOOK = "webhook", "webhook"
    SSE = "sse", "stream"


class Outcome(models.TextChoices):
    PENDING = "pending", "pending"
    ATTEMPTING = "attempting", "attempting"
    DELIVERED = "delivered", "delivered"
    FAILED = "failed", "failed"
    BLOCKED_TARGET = "blocked_target", "blocked target"
    UNKNOWN = "unknown", "unknown"


WAITING = (Outcome.PENDING, Outcome.ATTEMPTING)


class SubscriptionQuerySet(models.QuerySet["Subscription"]):
    def reachable_by(self, principal: Principal) -> Self:
        """A guest's grant opens what it made itself, an operator sees all, everyone else their own."""
        if principal.has("operate"):
            return self
        if principal.has("guest"):
            return self.filter(credential=principal.credential)
        return self.filter(owner=principal.actor.key)

    def live_webhooks(self) -> Self:
        return self.filter(active=True, delivery_method=Method.WEBHOOK)

    def with_last_outcome(self) -> Self:
        """`last_outcome`: of the newest delivery that has one."""
        ended = Delivery.objects.filter(subscription=OuterRef("pk")).exclude(outcome__in=WAITING)
        return self.annotate(last_outcome=Subquery(ended.order_by("-seq").values("outcome")[:1]))


class Subscription(models.Model):
    """Projection of a subscription entity.

    `credential` names the row that proved its maker; once that has ended, nothing is sent. `start_seq`: only events
    after it. `nonce`: the secret is derived from it, so none is stored. `raw`: it names observation.created.
    """

    entity = models.OneToOneField(Entity, primary_key=True, on_delete=models.CASCADE, related_name="subscription")
    owner = models.CharField(max_length=80)
    credential = models.CharField(max_length=80)
    entity_types = models.JSONField(default=list)
    entity_ids = models.JSONField(default=list)
    event_types = models.JSONField(default=list)
    exclude_self = models.BooleanField(default=False)
    delivery_method = models.CharField(max_length=8, choices=Method.choices)
    webhook_url = models.CharField(max_length=2048, blank=True)
    nonce = models.CharField(max_length=64, blank=True)
    raw = models.BooleanField(default=False)
    active = models.BooleanField(default=True)
    start_seq = models.BigIntegerField()
    created_at = models.DateTimeField()

    objects = SubscriptionQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-created_at", "-entity"], name="subscription_owner"),
            models.Index(fields=["credential"], name="subscription_credential"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(delivery_method__in=Method.values), name="subscription_method_known"),
            models.CheckConstraint(
                condition=~Q(delivery_method=Method.WEBHOOK) | ~Q(webhook_url="", nonce=""),
                name="subscription_webhook_has_url",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.delivery_method} of {self.owner}"

    @property
    def filter(self) -> EventFilter:
        return EventFilter.of(
            entity_types=self.entity_types,
            entity_ids=self.entity_ids,
            event_types=self.event_types,
            exclude_actor=self.owner if self.exclude_self else "",
        )


class Watch(models.Model):
    """One value of the narrowest part of a subscription's filter, so that an event finds who may want it by index."""

    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="watches")
    kind = models.CharField(max_length=6)
    value = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "value", "subscription"], name="watch_once")]


class Delivery(models.Model):
    """One event for one subscription: attempted once, and the outcome kept.

    `seq` is the event's. `due_at`: when a sweep asks for it again if nothing has come of it. `attempted_at`: when it
    was claimed, immediately before connecting. `error` is one of our words, see `webhooks.sender.Outcome`.
    """

    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="deliveries")
    seq = models.BigIntegerField()
    outcome = models.CharField(max_length=14, choices=Outcome.choices, default=Outcome.PENDING)
    due_at = models.DateTimeField()
    attempted_at = models.DateTimeField(null=True)
    http_status = models.PositiveSmallIntegerField(null=True)
    duration_ms = models.PositiveIntegerField(null=True)
    error = models.CharField(max_length=40, blank=True)
    response_head = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["subscription", "seq"], name="delivery_once"),
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="delivery_outcome_known"),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="delivery_due", condition=Q(outcome=Outcome.PENDING)),
            models.Index(fields=["created_at"], name="delivery_oldest", condition=Q(outcome=Outcome.PENDING)),
            models.Index(fields=["subscription", "seq"], name="delivery_waiting", condition=Q(outcome=Outcome.PENDING)),
            models.Index(
                fields=["subscription", "attempted_at"],
                name="delivery_attempting",
                condition=Q(outcome=Outcome.ATTEMPTING),
            ),
            models.Index(fields=["created_at"], name="delivery_age"),
        ]

    def __str__(self) -> str:
        return f"{self.delivery_id} {self.outcome}"

    @property
    def delivery_id(self) -> str:
        return f"dlv_{self.pk}"

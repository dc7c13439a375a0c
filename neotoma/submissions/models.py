"""The typed tables of threads and of what may be submitted; both are projections."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import Q

from neotoma.substrate.actors import Audience
from neotoma.substrate.models import Entity


class MessageQuerySet(models.QuerySet["Message"]):
    def of(self, thread_id: str) -> Self:
        return self.filter(thread_id=thread_id, withdrawn=False)


class Message(models.Model):
    """One message of a thread. `position` counts from 1 in the order of commit, so it is the thread's cursor."""

    entity = models.OneToOneField(Entity, primary_key=True, on_delete=models.CASCADE, related_name="message")
    thread = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="messages")
    position = models.PositiveIntegerField()
    author_key = models.CharField(max_length=80)
    author_kind = models.CharField(max_length=12)
    author_name = models.CharField(max_length=120, blank=True)
    body = models.TextField()
    asks = models.BooleanField(default=False)
    missing: models.JSONField[Any, Any] = models.JSONField(null=True)
    verification = models.CharField(max_length=16, blank=True)
    reporter = models.JSONField(default=dict)
    withdrawn = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    objects = MessageQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "position"], name="message_position_once")]

    @property
    def from_reporter(self) -> bool:
        return self.author_kind == "reporter"


class SubmissionConfig(models.Model):
    """Which type may be submitted, by whom. Without a row for a type, nobody but staff's own code submits it."""

    class Policy(models.TextChoices):
        CLOSED = "closed", "closed"
        SUBMIT_ONLY = "submit_only", "submit only"
        SUBMITTER_SCOPED = "submitter_scoped", "submitter scoped"
        READ_ONLY = "read_only", "read only"
        OPEN = "open", "open"

    entity = models.OneToOneField(Entity, primary_key=True, on_delete=models.CASCADE, related_name="submission_config")
    config_key = models.CharField(max_length=64, unique=True)
    target_entity_type = models.CharField(max_length=64)
    access_policy = models.CharField(max_length=16, choices=Policy.choices, default=Policy.CLOSED)
    active = models.BooleanField(default=True)
    threading = models.BooleanField(default=True)
    guest_read_back = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["target_entity_type"], condition=Q(active=True), name="submission_config_one_active"
            )
        ]


def visible_threads(audience: Audience) -> models.QuerySet[Entity]:
    """Submissions that the audience may see."""
    return Entity.objects.visible_to(audience).exclude(thread_id="")

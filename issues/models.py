"""The Issue table: a projection that people filter, sort and count."""

from __future__ import annotations

from typing import Any, Self

from django.db import models
from django.db.models import Q

from neotoma.substrate.actors import Audience
from neotoma.substrate.models import Entity
from neotoma.substrate.models.entities import seen_by

STATUSES = ("backlog", "todo", "in_progress", "review", "done", "cancelled")


class IssueNumber(models.Model):
    """Where numbers come from: its key is the next number. Allocated once; the issue's observations keep it."""


class IssueQuerySet(models.QuerySet["Issue"]):
    def visible_to(self, audience: Audience) -> Self:
        """Issues whose entity the audience may see."""
        return self.filter(seen_by(audience, "entity__"))

    def alive(self) -> Self:
        return self.filter(withdrawn=False)

    def open(self) -> Self:
        return self.alive().filter(state="open")


class Issue(models.Model):
    """One issue, reduced from the observations of its entity."""

    entity = models.OneToOneField(Entity, primary_key=True, on_delete=models.CASCADE, related_name="issue")
    number = models.PositiveIntegerField(unique=True)
    title = models.CharField(max_length=300)
    kind = models.CharField(max_length=12)
    classification = models.CharField(max_length=12, blank=True)
    status = models.CharField(max_length=12, default="backlog")
    state = models.CharField(max_length=6, default="open")
    blocked = models.BooleanField(default=False)
    visibility = models.CharField(max_length=8)
    awaiting = models.CharField(max_length=10, default="none")
    labels = models.JSONField(default=list)
    author_key = models.CharField(max_length=80)
    author_name = models.CharField(max_length=120, blank=True)
    reporter = models.JSONField(default=dict)
    error_signature = models.CharField(max_length=300, blank=True)
    resolution: models.JSONField[Any, Any] = models.JSONField(null=True)
    message_count = models.PositiveIntegerField(default=0)
    withdrawn = models.BooleanField(default=False)
    last_message_at = models.DateTimeField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    objects = IssueQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(number__gt=0), name="issue_number_positive"),
            models.CheckConstraint(condition=Q(status__in=STATUSES), name="issue_status_known"),
            models.CheckConstraint(
                condition=Q(status__in=("done", "cancelled"), state="closed")
                | (~Q(status__in=("done", "cancelled")) & Q(state="open")),
                name="issue_state_follows_status",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "-updated_at", "-number"], name="issue_state_updated"),
            models.Index(fields=["-updated_at", "-number"], name="issue_updated"),
            models.Index(fields=["status", "-updated_at"], name="issue_status"),
            models.Index(fields=["kind", "-updated_at"], name="issue_kind"),
            models.Index(fields=["awaiting", "-updated_at"], name="issue_awaiting"),
            models.Index(fields=["error_signature"], name="issue_signature", condition=~Q(error_signature="")),
        ]

    def __str__(self) -> str:
        return f"#{self.number} {self.title}"


class IssueLabel(models.Model):
    """One label of one issue, so that a filter by label uses an index."""

    issue = models.ForeignKey(Issue, on_delete=models.CASCADE, related_name="label_rows")
    label = models.CharField(max_length=100)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["issue", "label"], name="issue_label_once")]
        indexes = [models.Index(fields=["label", "issue"], name="issue_label")]

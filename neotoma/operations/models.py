"""What a call leaves behind: its idempotency memory, and its line in the audit."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class Call(models.Model):
    """The saved answer of a call with an idempotency key. Mutable and expiring; holds no secret."""

    actor_key = models.CharField(max_length=80)
    operation = models.CharField(max_length=64)
    key = models.CharField(max_length=200)
    request_digest = models.CharField(max_length=64)
    answer = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["actor_key", "operation", "key"], name="call_key_once")]


class AuditEntry(models.Model):
    """Who did what, or was refused what. Append-only: triggers refuse UPDATE, DELETE and TRUNCATE."""

    at = models.DateTimeField(db_default=Now())
    actor_key = models.CharField(max_length=80)
    actor_kind = models.CharField(max_length=12)
    actor_name = models.CharField(max_length=120, blank=True)
    role = models.CharField(max_length=12)
    operation = models.CharField(max_length=64)
    risk = models.CharField(max_length=4)
    surface = models.CharField(max_length=8)
    outcome = models.CharField(max_length=8)
    error_code = models.CharField(max_length=64, blank=True)
    subject = models.CharField(max_length=28, blank=True)
    details = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["subject", "id"], name="audit_subject", condition=~models.Q(subject="")),
            models.Index(fields=["actor_key", "id"], name="audit_actor"),
            models.Index(fields=["operation", "id"], name="audit_operation"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name or self.actor_key} {self.operation}: {self.outcome}"

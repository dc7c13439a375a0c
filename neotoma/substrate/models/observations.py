"""Observations: append-only facts about entities."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class Observation(models.Model):
    """One fact. The primary key is the ingest sequence; triggers refuse UPDATE, DELETE and TRUNCATE."""

    entity = models.ForeignKey("substrate.Entity", on_delete=models.PROTECT, related_name="observations")
    kind = models.CharField(max_length=12, default="store")
    fields = models.JSONField(default=dict)
    actor_key = models.CharField(max_length=80)
    actor_kind = models.CharField(max_length=12)
    actor_name = models.CharField(max_length=120, blank=True)
    observation_source = models.CharField(max_length=20, blank=True)
    priority = models.IntegerField(default=100)
    specificity = models.IntegerField(default=0)
    source = models.ForeignKey("substrate.Source", null=True, on_delete=models.PROTECT, related_name="observations")
    idempotency_key = models.CharField(max_length=200, blank=True)
    observed_at = models.DateTimeField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["entity", "id"], name="observation_of_entity")]

    @property
    def public_id(self) -> str:
        return f"obs_{self.pk}"

"""Typed edges between entities, with their history."""

from __future__ import annotations

import hashlib

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


def relationship_id(relationship_type: str, source_id: str, target_id: str) -> str:
    """`rel_` + 24 hex; one edge of a type between two ends, however often it is stated."""
    return "rel_" + hashlib.sha256(f"{relationship_type}:{source_id}:{target_id}".encode()).hexdigest()[:24]


class Relationship(models.Model):
    """The reduced state of an edge. Both ends exist: foreign keys say so, and no end is merged away.

    `stated_source`, `stated_target`: the ends that it was stated with, where a merge has moved it since. `doubled`: a
    merge made it say what another edge says, or lead nowhere, so it is set aside: `deleted_at` is set until a split
    parts the ends again.
    """

    id = models.CharField(primary_key=True, max_length=28)
    relationship_type = models.CharField(max_length=40)
    # The indexes below begin with each end, so that keys need none of their own.
    source = models.ForeignKey("substrate.Entity", on_delete=models.PROTECT, related_name="outgoing", db_index=False)
    target = models.ForeignKey("substrate.Entity", on_delete=models.PROTECT, related_name="incoming", db_index=False)
    stated_source = models.CharField(max_length=28, blank=True)
    stated_target = models.CharField(max_length=28, blank=True)
    metadata = models.JSONField(default=dict)
    actor_key = models.CharField(max_length=80)
    created_at = models.DateTimeField(db_default=Now())
    deleted_at = models.DateTimeField(null=True)
    doubled = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["source", "relationship_type", "target"],
                condition=Q(deleted_at=None),
                name="relationship_stands_once",
            ),
            models.CheckConstraint(
                condition=Q(doubled=False) | Q(deleted_at__isnull=False), name="relationship_doubled_is_aside"
            ),
        ]
        indexes = [
            models.Index(fields=["source", "-created_at", "-id"], name="relationship_from_newest"),
            models.Index(fields=["target", "-created_at", "-id"], name="relationship_to_newest"),
            models.Index(
                fields=["source", "relationship_type", "-created_at", "-id"], name="relationship_from_of_type"
            ),
            models.Index(fields=["target", "relationship_type", "-created_at", "-id"], name="relationship_to_of_type"),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.relationship_type} {self.target_id}"


class RelationshipObservation(models.Model):
    """Append-only history of an edge. `stated_source`, `stated_target`: its ends when this was stated."""

    relationship = models.ForeignKey(Relationship, on_delete=models.PROTECT, related_name="observations")
    stated_source = models.CharField(max_length=28, default="")
    stated_target = models.CharField(max_length=28, default="")
    kind = models.CharField(max_length=12, default="store")
    metadata = models.JSONField(default=dict)
    actor_key = models.CharField(max_length=80)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(fields=["stated_source", "id"], name="edge_history_from"),
            models.Index(fields=["stated_target", "id"], name="edge_history_to"),
        ]

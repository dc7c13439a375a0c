"""What keeps processes and indexes in line with the entity types that are defined as data."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class TypeCatalogue(models.Model):
    """The one row whose `revision` changes, to a random number, whenever a defined type does."""

    revision = models.BigIntegerField()


class Backfill(models.Model):
    """Entities of a type still to be brought in line with its definition, from newest to oldest; gone when done.

    `before`: the definition that they follow so far, None for a type that had none. `unready`: fields whose index does
    not hold all of them yet. `seen_at`, `seen_id`: the last entity that was looked at.
    """

    entity_type = models.CharField(max_length=64)
    before = models.JSONField(null=True)
    unready = models.JSONField(default=list)
    seen_at = models.DateTimeField(null=True)
    seen_id = models.CharField(max_length=28, blank=True)
    touched_at = models.DateTimeField(db_default=Now())

"""Which things turned out to be one, and which one turned out to be two."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class Regrouping(models.Model):
    """One decision about identity. Append-only, in order of its key.

    `merge`: `entity` is `target`. `part`: `entity`, merged into `target` before, is itself again. `split`: these
    `observations`, by key, that counted for `entity`, are about `target`.
    """

    kind = models.CharField(max_length=5)
    entity = models.ForeignKey("substrate.Entity", on_delete=models.PROTECT, related_name="regroupings")
    target = models.ForeignKey("substrate.Entity", on_delete=models.PROTECT, related_name="regroupings_towards")
    observations = models.JSONField(default=list)
    actor_key = models.CharField(max_length=80)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=("merge", "part", "split")), name="regrouping_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.entity_id} {self.target_id}"

"""Raw material behind observations."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class Source(models.Model):
    """What came in, redacted where it is a submission. Append-only.

    `content_hash` is SHA-256 of the stored bytes; `raw_digest` a keyed digest of the bytes before redaction, so that a
    repeat is recognised although the secret is not kept.
    """

    kind = models.CharField(max_length=40)
    content_hash = models.CharField(max_length=64, db_index=True)
    raw_digest = models.CharField(max_length=64, blank=True)
    mime_type = models.CharField(max_length=100, default="application/json")
    content = models.TextField()
    actor_key = models.CharField(max_length=80)
    created_at = models.DateTimeField(db_default=Now())

    @property
    def public_id(self) -> str:
        return f"src_{self.pk}"

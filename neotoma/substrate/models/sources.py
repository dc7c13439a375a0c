"""Raw material behind observations."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from neotoma.substrate.actors import Audience
from neotoma.substrate.drafts import INSTANCE
from neotoma.substrate.models.entities import seen_by
from neotoma.substrate.models.observations import Observation

KEPT = "kept"
"""Kind of what somebody handed in as such; other kinds belong to submissions."""


class SourceQuerySet(models.QuerySet["Source"]):
    def visible_to(self, audience: Audience) -> Self:
        """One's own; what was kept for the instance, to those who see it; else what is behind entities, if one sees
        every one of them.
        """
        if audience.internal and audience.private:
            return self
        cited = Observation.objects.filter(source=OuterRef("pk"))
        unseen = cited.exclude(seen_by(audience, "entity__"))
        visible = Exists(cited) & ~Exists(unseen)
        if audience.owner:
            visible |= Q(actor_key=audience.owner)
        if audience.internal:
            visible |= Q(scope=INSTANCE)
        return self.filter(visible)


class Source(models.Model):
    """What came in, redacted where it is a submission. Append-only.

    `content_hash` is SHA-256 of the stored bytes; `raw_digest` a keyed digest of the bytes before redaction, so that a
    repeat is recognised although the secret is not kept. `scope`: within which the same content is kept once; empty for
    material that belongs to its submission. `encoding`: of `content`, `text` or `base64`. `size`: bytes.
    """

    kind = models.CharField(max_length=40)
    scope = models.CharField(max_length=80, default="", blank=True)
    content_hash = models.CharField(max_length=64, db_index=True)
    raw_digest = models.CharField(max_length=64, blank=True)
    mime_type = models.CharField(max_length=100, default="application/json")
    encoding = models.CharField(max_length=6, default="text")
    size = models.PositiveIntegerField(default=0)
    content = models.TextField()
    actor_key = models.CharField(max_length=80)
    created_at = models.DateTimeField(db_default=Now())

    objects = SourceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scope", "content_hash"], condition=~Q(scope=""), name="source_kept_once"),
        ]

    @property
    def public_id(self) -> str:
        return f"src_{self.pk}"


class Withdrawal(models.Model):
    """A source that was taken back: nobody reads or cites it until it is restored."""

    source = models.OneToOneField(Source, on_delete=models.PROTECT, related_name="withdrawal")
    actor_key = models.CharField(max_length=80)
    created_at = models.DateTimeField(db_default=Now())

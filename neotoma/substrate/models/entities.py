"""Entities with their reduced snapshot, and the side table of their indexed fields."""

from __future__ import annotations

from collections.abc import Collection
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from neotoma.substrate.actors import Audience


class Visibility(models.TextChoices):
    PUBLIC = "public", "public"
    INTERNAL = "internal", "internal"
    PRIVATE = "private", "private"


def seen_by(audience: Audience, path: str = "") -> Q:
    """The one rule of who sees what; every read path starts here. `path` leads from another model to the entity."""
    if audience.internal and audience.private:
        return Q()
    seen = Q(pk__in=[])
    if audience.public or audience.internal:
        seen |= Q(**{f"{path}visibility": Visibility.PUBLIC})
    if audience.internal:
        seen |= Q(**{f"{path}visibility": Visibility.INTERNAL})
    if audience.owner:
        seen |= _owned_by(audience.owner, path)
    if audience.threads:
        # By its own id too: what a thread was merged into need not be a thread.
        seen |= Q(**{f"{path}thread_id__in": audience.threads}) | Q(**{f"{path}pk__in": audience.threads})
    if audience.roots:
        seen |= _reached_from(audience.roots, path)
    return seen


def _owned_by(owner: str, path: str) -> Q:
    """The owner's entities, and everything in the threads of those that are submissions, whoever said it."""
    own = Entity.objects.filter(owner=owner, thread_id=F("id")).values("pk")
    return Q(**{f"{path}owner": owner}) | Q(**{f"{path}thread_id__in": own})


def _reached_from(roots: frozenset[str], path: str) -> Q:
    """The roots, their members (PART_OF), what members refer to, and the threads of these.

    Only plans are members: their edges are written by managed operations alone, so that nobody widens a reviewer's
    sight by stating that something of theirs is part of a daemon.
    """
    from neotoma.substrate.models.relationships import Relationship

    members = Relationship.objects.filter(
        relationship_type="PART_OF", target_id__in=roots, source__entity_type="plan", deleted_at=None
    )
    member_ids = members.values("source_id")
    referred = Relationship.objects.filter(relationship_type="REFERS_TO", source_id__in=member_ids, deleted_at=None)
    referred_ids = referred.values("target_id")
    own = Q(**{f"{path}pk__in": roots}) | Q(**{f"{path}pk__in": member_ids})
    return own | Q(**{f"{path}pk__in": referred_ids}) | Q(**{f"{path}thread_id__in": referred_ids})


class EntityQuerySet(models.QuerySet["Entity"]):
    def visible_to(self, audience: Audience) -> Self:
        return self.filter(seen_by(audience))

    def alive(self) -> Self:
        return self.filter(deleted_at=None, merged_into=None)


class Entity(models.Model):
    """A thing. Its facts are observations; `snapshot` is their reduced view and is always derivable from them.

    `thread_id`: the submission (issue or generic) whose thread this entity belongs to; the submission itself carries
    its own id. `owner`: key of the actor that made it. `merged_into`: the entity that it turned out to be;
    `merged_root`: where a chain of such merges ends, which is what it reads as. `regrouped`: a merge or a split has
    touched it, so its facts are not exactly those that were stated of its id.
    """

    id = models.CharField(primary_key=True, max_length=28)
    entity_type = models.CharField(max_length=64)
    canonical_key = models.TextField()
    name = models.CharField(max_length=200, blank=True)
    visibility = models.CharField(max_length=8, choices=Visibility.choices, default=Visibility.INTERNAL)
    owner = models.CharField(max_length=80, blank=True)
    thread_id = models.CharField(max_length=28, blank=True)
    snapshot = models.JSONField(default=dict)
    raw_fragments = models.JSONField(default=dict)
    provenance = models.JSONField(default=dict)
    observation_count = models.PositiveIntegerField(default=0)
    last_observed_at = models.DateTimeField(null=True)
    life_rank = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    deleted_at = models.DateTimeField(null=True)
    # No index over all rows: it is null in nearly all of them, yet SQLite would start from it wherever that is asked.
    merged_into = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="merged", db_index=False)
    merged_root = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    regrouped = models.BooleanField(default=False)

    made_now = False
    """True on the instance whose row the running transaction inserted."""
    changed: frozenset[str] | None = None
    """Fields that the running transaction changed; None when that is not known, as in a rebuild."""

    objects = EntityQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entities"
        permissions = [("review", "Can review what this daemon proposes")]
        indexes = [
            models.Index(fields=["entity_type", "-updated_at", "-id"], name="entity_type_updated"),
            models.Index(fields=["entity_type", "-created_at", "-id"], name="entity_type_created"),
            models.Index(fields=["-updated_at", "-id"], name="entity_updated"),
            models.Index(fields=["merged_into"], name="entity_merged", condition=Q(merged_into__isnull=False)),
            models.Index(fields=["thread_id"], name="entity_thread", condition=~Q(thread_id="")),
            models.Index(fields=["owner", "-updated_at"], name="entity_owner", condition=~Q(owner="")),
            models.Index(fields=["owner"], name="entity_own_threads", condition=Q(thread_id=F("id"))),
            models.Index(fields=["merged_root"], name="entity_merged_root", condition=Q(merged_root__isnull=False)),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(visibility__in=Visibility.values), name="entity_visibility_known"),
            models.CheckConstraint(
                condition=Q(merged_into=None, merged_root=None)
                | Q(merged_into__isnull=False, merged_root__isnull=False),
                name="entity_merged_leads_somewhere",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entity_type} {self.name or self.id}"

    def touched(self, names: Collection[str]) -> bool:
        """Whether what is derived from these fields must be written again."""
        return self.changed is None or not self.changed.isdisjoint(names)


WHOLE = ("text", "number", "json")
"""Kinds of a row for a whole value; with `_item`, of one for an element of a list."""


class FieldValue(models.Model):
    """An indexed field of one entity: a row for its value, and one for each different element of a list.

    `text`: the value as text, cut where it is long; on PostgreSQL compared by code points, as on SQLite. `folded`: the
    whole text without case, of texts alone.
    """

    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="field_values")
    entity_type = models.CharField(max_length=64)
    field = models.CharField(max_length=64)
    kind = models.CharField(max_length=11, default="text")
    text = models.CharField(max_length=300)
    number = models.FloatField(null=True)
    folded = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["entity", "field"], condition=Q(kind__in=WHOLE), name="field_value_once"),
            models.CheckConstraint(
                condition=Q(kind__in=(*WHOLE, *(f"{kind}_item" for kind in WHOLE))), name="field_value_kind_known"
            ),
        ]
        indexes = [
            models.Index(fields=["entity_type", "field", "text", "entity"], name="field_value_text"),
            models.Index(fields=["entity_type", "field", "number", "entity"], name="field_value_number"),
        ]

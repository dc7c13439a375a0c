"""The ordered log of what was written, and how far each consumer has read it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

from neotoma.substrate.actors import Audience

EVENT_TYPES = (
    "entity.created",
    "entity.updated",
    "entity.deleted",
    "entity.restored",
    "entity.merged",
    "entity.split",
    "observation.created",
    "relationship.created",
    "relationship.deleted",
    "relationship.restored",
)
"""Every type there is. `observation.created` reaches only those who name it."""


class EventQuerySet(models.QuerySet["Event"]):
    def visible_to(self, audience: Audience) -> Self:
        """Events of entities that the audience may see now."""
        if audience.internal and audience.private:
            return self
        from neotoma.substrate.models.entities import Entity

        # Looked up event by event: as a list, SQLite would first collect every visible entity.
        return self.filter(Exists(Entity.objects.visible_to(audience).filter(pk=OuterRef("entity_id"))))

    def since(self, moment: datetime) -> Self:
        """Events of that time or later, found by their place in the log: `seq` follows time but for a transaction's
        length, and none lasts a minute.
        """
        earlier = moment - timedelta(minutes=1) if moment.year > 1 else moment
        before = Event.objects.filter(created_at__lt=earlier).order_by("-created_at", "-seq").values("seq")[:1]
        return self.filter(created_at__gte=moment, seq__gt=Coalesce(Subquery(before), 0))


class Event(models.Model):
    """One signal. `seq` is commit-ordered, so one integer is a true cursor. Only retention ever deletes one."""

    seq = models.BigAutoField(primary_key=True)
    event_type = models.CharField(max_length=24)
    entity_id = models.CharField(max_length=28)
    entity_type = models.CharField(max_length=64)
    target_id = models.CharField(max_length=28, blank=True)
    thread_id = models.CharField(max_length=28, blank=True)
    actor_key = models.CharField(max_length=80)
    actor_kind = models.CharField(max_length=12)
    actor_name = models.CharField(max_length=120, blank=True)
    fields_changed = models.JSONField(default=dict)
    created_at = models.DateTimeField(db_default=Now())

    objects = EventQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["entity_id", "seq"], name="event_of_entity"),
            models.Index(fields=["target_id", "seq"], name="event_of_target", condition=~Q(target_id="")),
            models.Index(fields=["thread_id", "seq"], name="event_of_thread", condition=~Q(thread_id="")),
            models.Index(fields=["event_type", "entity_type", "seq"], name="event_kind"),
            models.Index(fields=["entity_type", "seq"], name="event_entity_type"),
            models.Index(fields=["created_at"], name="event_age"),
        ]

    @property
    def event_id(self) -> str:
        return f"evt_{self.seq}"

    def payload(self) -> dict[str, object]:
        """The public shape, the same in webhooks, streams and `list_events`."""
        return {
            "event_id": self.event_id,
            "seq": self.seq,
            "event_type": self.event_type,
            "timestamp": self.created_at.isoformat().replace("+00:00", "Z"),
            "actor": {"id": self.actor_key, "kind": self.actor_kind, "name": self.actor_name},
            "entity_id": self.entity_id,
            "entity_type": self.entity_type,
            "target_entity_id": self.target_id or None,
            "thread_id": self.thread_id or None,
            "fields_changed": self.fields_changed,
        }


class EventBatch(models.Model):
    """The events of one transaction, saved last; its `post_save` is the only signal anyone listens to."""

    first_seq = models.BigIntegerField()
    last_seq = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=Now())


class ConsumerOffset(models.Model):
    """How far a consumer has come. `failing_seq` and `failures` count the tries of the event it is stuck on."""

    consumer = models.CharField(primary_key=True, max_length=80)
    seq = models.BigIntegerField(default=0)
    failing_seq = models.BigIntegerField(null=True)
    failures = models.PositiveSmallIntegerField(default=0)
    updated_at = models.DateTimeField(auto_now=True)


class DeadEvent(models.Model):
    """An event that a consumer could not take five times; it is set aside and the rest goes on."""

    consumer = models.CharField(max_length=80)
    seq = models.BigIntegerField()
    error = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["consumer", "seq"], name="dead_event_once")]


class RetentionPass(models.Model):
    """Open while the retention path deletes old events; without an open pass the database refuses the DELETE."""

    opened_at = models.DateTimeField(db_default=Now())

"""Which events a write makes, what they say changed, and the log that they go to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models.signals import post_save  # noqa: TID251  sent here for rows that `save` never sees

from neotoma.substrate import rows
from neotoma.substrate.actors import Actor
from neotoma.substrate.canonical import canonical_json
from neotoma.substrate.drafts import Stored
from neotoma.substrate.models import Entity, Event, EventBatch, Relationship
from neotoma.substrate.schema import type_of

EVENT_LOCK = 7_203_041
"""Key of the advisory lock that orders commits. Any constant will do; it must not be shared with another use."""
VALUE_LIMIT = 2_000
"""Longer values are named but not repeated in an event; the reader fetches the entity."""


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """`{field: {old, new}}` for every field that differs; a missing side is None."""
    names = [*after, *(name for name in before if name not in after)]
    return {
        name: {"old": before.get(name), "new": after.get(name)} for name in names if before.get(name) != after.get(name)
    }


def entity_events(stored: Stored, actor: Actor) -> list[Event]:
    """`entity.<action>`, and `observation.created` if there is one; nothing when nothing changed."""
    if stored.action == "unchanged":
        return []
    names = [f"entity.{stored.action}", *(["observation.created"] if stored.observation_id is not None else [])]
    entity, hidden = stored.entity, type_of(stored.entity.entity_type).hidden
    told = {name: pair for name, pair in stored.changed.items() if name not in hidden}
    changed = {name: {side: _short(value) for side, value in pair.items()} for name, pair in told.items()}
    return [
        Event(
            event_type=event_type,
            entity_id=entity.pk,
            entity_type=entity.entity_type,
            thread_id=entity.thread_id,
            fields_changed=changed if event_type != "observation.created" else {},
            **_by(actor),
        )
        for event_type in names
    ]


def regrouping_event(verb: str, entity: Entity, target_id: str, actor: Actor) -> Event:
    """`entity.merged`: the entity reads as the target now. `entity.split`: the target is no longer a part of it."""
    return Event(
        event_type=f"entity.{verb}",
        entity_id=entity.pk,
        entity_type=entity.entity_type,
        target_id=target_id,
        thread_id=entity.thread_id,
        fields_changed={},
        **_by(actor),
    )


def relationship_event(verb: str, edge: Relationship, entity_type: str, thread_id: str, actor: Actor) -> Event:
    """An event on the source of the edge that names the other end."""
    return Event(
        event_type=f"relationship.{verb}",
        entity_id=edge.source_id,
        entity_type=entity_type,
        target_id=edge.target_id,
        thread_id=thread_id,
        fields_changed={"relationship_type": {"old": None, "new": edge.relationship_type}},
        **_by(actor),
    )


def insert_events(events: Sequence[Event], now: datetime) -> None:
    """The events of one transaction and, last, their batch. Nothing may be written in the transaction after it."""
    if not events:
        return
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [EVENT_LOCK])
    for event in events:
        event.created_at = now
    rows.insert(events)
    batch = EventBatch(first_seq=events[0].seq, last_seq=events[-1].seq, created_at=now)
    rows.insert([batch])
    post_save.send(EventBatch, instance=batch, created=True)


def _by(actor: Actor) -> dict[str, str]:
    return {"actor_key": actor.key, "actor_kind": actor.kind, "actor_name": actor.name}


def _short(value: Any) -> Any:
    if isinstance(value, str):
        length = len(value)
    elif isinstance(value, list | dict):
        length = len(canonical_json(value))
    else:
        return value
    return value if length <= VALUE_LIMIT else {"truncated": True, "length": length}

"""Which events a write makes, and what they say changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neotoma.substrate.actors import Actor
from neotoma.substrate.canonical import canonical_json
from neotoma.substrate.drafts import Stored
from neotoma.substrate.models import Event, Relationship
from neotoma.substrate.schema import type_of

VALUE_LIMIT = 2_000
"""Longer values are named but not repeated in an event; the reader fetches the entity."""


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """`{field: {old, new}}` for every field that differs; a missing side is None."""
    names = [*after, *(name for name in before if name not in after)]
    return {
        name: {"old": before.get(name), "new": after.get(name)} for name in names if before.get(name) != after.get(name)
    }


def entity_events(stored: Stored, actor: Actor) -> list[Event]:
    """`entity.<action>` and `observation.created`; nothing when nothing changed."""
    if stored.action == "unchanged":
        return []
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
        for event_type in (f"entity.{stored.action}", "observation.created")
    ]


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

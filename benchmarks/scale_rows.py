"""Entities, facts and edges of a busy instance, by number: the same each time, and consistent with one another.

Three facts and two edges an entity. Half are tickets, a defined type with indexed fields; others are notes and persons.
A tenth is private. Snapshots, indexes and search documents are what the store itself would derive from the facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from django.db.models import Model

from neotoma.substrate import identity
from neotoma.substrate.drafts import INSTANCE
from neotoma.substrate.indexing import document, field_rows
from neotoma.substrate.models import (
    Entity,
    Event,
    Observation,
    Relationship,
    RelationshipObservation,
)
from neotoma.substrate.models.relationships import relationship_id
from neotoma.substrate.reading import fact_of, settle
from neotoma.substrate.reducer import reduce
from neotoma.substrate.schema import type_of

START = datetime(2026, 1, 1, tzinfo=UTC)
OWNERS = 50
FACTS = 3
FIRST_KEY = 1_000_000_001
"""Keys of facts and events begin here, behind those of what was stored before."""
HUB_EVERY = 1_000
"""One entity in so many refers to the very first, which becomes a hub."""
STATUSES = ("open", "open", "open", "waiting", "waiting", "done", "done", "done", "done", "rejected")
TICKET = {
    "entity_type": "ticket",
    "description": "Something that somebody asked for.",
    "fields": [
        {"name": "title", "type": "string"},
        {"name": "text", "type": "string"},
        {"name": "status", "type": "string", "indexed": True},
        {"name": "assignee", "type": "string", "indexed": True},
        {"name": "priority", "type": "number", "indexed": True},
        {"name": "due", "type": "date", "indexed": True},
    ],
    "identity": [["title"]],
}


def type_at(number: int) -> str:
    return ("ticket", "note", "ticket", "person", "ticket", "note", "ticket", "note", "ticket", "person")[number % 10]


def owner_at(number: int) -> str:
    """None of those that the measuring agents are."""
    return f"agent:0{number % OWNERS}"


def open_at(number: int) -> int:
    """The same, or the one before where it is private."""
    return number - 1 if number % 10 == 9 else number


@lru_cache(maxsize=64)  # each entity's is asked for half a dozen times, one after the other
def id_at(number: int) -> str:
    return identity.entity_id(INSTANCE, type_at(number), _key(number))


def rows_at(number: int) -> Iterator[Model]:
    """Every row of one entity; what refers comes after what it refers to."""
    at = START + timedelta(seconds=number)
    kind = type_of(type_at(number))
    facts = [_observation(number, place, at) for place in range(FACTS)]
    entity = Entity(
        id=facts[0].entity_id,
        entity_type=kind.name,
        canonical_key=_key(number),
        visibility="private" if number % 10 == 9 else "internal",
        owner=owner_at(number),
        created_at=at,
    )
    settle(entity, reduce([fact_of(fact) for fact in facts], kind.reducers), kind, at + timedelta(hours=FACTS - 1))
    entity.name = identity.display_name(entity.snapshot)
    yield entity
    yield from facts
    yield document(entity)
    yield from field_rows(entity)
    yield _event(entity, number, at)
    for edge in _edges(number, entity.pk, at):
        yield edge
        yield _stated(edge)


@lru_cache(maxsize=64)
def _key(number: int) -> str:
    """By title or name, which is what all three types are known by."""
    return identity.canonical_key(_first(number), identity.default_identity())


def _first(number: int) -> dict[str, Any]:
    """What names it, and its words: one in two speaks of a report, one in a thousand of its own part of the world."""
    words = ["report" if number % 2 else "request", f"part{number % 1_000}", f"word{_mixed(number) % 50_000}"]
    if type_at(number) == "person":
        return {"name": f"person {number}", "city": f"city {number % 500}", "about": " ".join(words)}
    return {"title": f"{type_at(number)} {number}", "text": " ".join(words)}


def _said(number: int, place: int) -> dict[str, Any]:
    if place == 0:
        return _first(number)
    if type_at(number) != "ticket":
        return {"revision": place, "mood": ("calm", "busy")[number % 2]}
    status = STATUSES[_mixed(number) // 7 % 10]
    if place == 1:
        due = f"2026-{1 + number % 12:02}-{1 + number % 28:02}"
        return {"status": "open", "priority": _mixed(number) % 100, "assignee": f"person {number % 5_000}", "due": due}
    return {"status": status}


def _observation(number: int, place: int, at: datetime) -> Observation:
    moment = at + timedelta(hours=place)
    return Observation(
        id=FIRST_KEY + number * FACTS + place,
        entity_id=id_at(number),
        kind="correction" if place == FACTS - 1 else "store",
        fields=_said(number, place),
        actor_key=owner_at(number),
        actor_kind="agent",
        actor_name="loader",
        observation_source="import",
        observed_at=moment,
        created_at=moment,
    )


def _edges(number: int, entity_id: str, at: datetime) -> list[Relationship]:
    if number == 0:
        return []
    other = 0 if number % HUB_EVERY == 0 else _mixed(number) % number
    ends = {("PART_OF", open_at(number // 2)), ("REFERS_TO", other)}
    return [
        Relationship(
            id=relationship_id(kind, entity_id, id_at(target)),
            relationship_type=kind,
            source_id=entity_id,
            target_id=id_at(target),
            actor_key=owner_at(number),
            created_at=at,
        )
        for kind, target in sorted(ends)
    ]


def _stated(edge: Relationship) -> RelationshipObservation:
    return RelationshipObservation(
        relationship_id=edge.pk,
        stated_source=edge.source_id,
        stated_target=edge.target_id,
        actor_key=edge.actor_key,
        created_at=edge.created_at,
    )


def _event(entity: Entity, number: int, at: datetime) -> Event:
    return Event(
        seq=FIRST_KEY + number,
        event_type="entity.created",
        entity_id=entity.pk,
        entity_type=entity.entity_type,
        actor_key=entity.owner,
        actor_kind="agent",
        actor_name="loader",
        fields_changed={"title": {"old": None, "new": entity.name}},
        created_at=at,
    )


def _mixed(number: int) -> int:
    """A number that looks like chance."""
    return (number * 2_654_435_761) % 4_294_967_291

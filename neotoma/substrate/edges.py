"""Stating edges: existence of both ends, one row an edge, history, events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import IntegrityError
from django.db.models import QuerySet

from neotoma.substrate import rows
from neotoma.substrate.actors import Actor
from neotoma.substrate.drafts import Edge
from neotoma.substrate.errors import UnknownLinkTarget, WriteRace
from neotoma.substrate.log import relationship_event
from neotoma.substrate.models import Entity, Event, Relationship, RelationshipObservation
from neotoma.substrate.models.relationships import relationship_id
from neotoma.substrate.prepared import prepared

VERBS = {"store": "created", "deletion": "deleted", "restoration": "restored"}


def state_edges(
    edges: Sequence[Edge], known: Mapping[str, Entity], made: dict[str, Relationship], actor: Actor, now: datetime
) -> tuple[list[Relationship], list[Event]]:
    """Write the edges, between what their ends were merged into; answers the rows in the order given and the events of
    those that changed.

    `made`: edges that the transaction inserted, by id; the new ones are added. Raises `WriteRace` when another
    transaction made one of them first.
    """
    if not edges:
        return [], []
    ends = _ends(edges, known)
    edges = [replace(edge, source_id=ends[edge.source_id].pk, target_id=ends[edge.target_id].pk) for edge in edges]
    sources = {entity.pk: entity for entity in ends.values()}
    ids = [relationship_id(edge.relationship_type, edge.source_id, edge.target_id) for edge in edges]
    held = {edge_id: made[edge_id] for edge_id in ids if edge_id in made}
    if not _all_new(edges, known):
        held |= Relationship.objects.select_for_update().in_bulk(sorted({*ids} - held.keys()))
    fresh: dict[str, Relationship] = {}
    changed: dict[str, Relationship] = {}
    events: list[Event] = []
    history: list[RelationshipObservation] = []
    for edge_id, edge in zip(ids, edges, strict=True):
        row = held.get(edge_id) or fresh.get(edge_id)
        verb = _verb(row, edge)
        told = verb == "created" and (edge_id in made or edge_id in fresh)
        if row is None:
            row = fresh[edge_id] = _new(edge_id, edge, actor, now)
        elif not _change(row, edge, now):
            continue
        elif edge_id in held:
            changed[edge_id] = row
        history.append(
            RelationshipObservation(
                relationship=row, kind=edge.kind, metadata=dict(edge.metadata), actor_key=actor.key, created_at=now
            )
        )
        if not told:
            source = sources[edge.source_id]
            events.append(relationship_event(verb, row, source.entity_type, source.thread_id, actor))
    _save(fresh.values(), changed.values())
    made.update(fresh)
    rows.insert(history)
    return [held.get(edge_id) or fresh[edge_id] for edge_id in ids], events


def _save(fresh: Iterable[Relationship], changed: Iterable[Relationship]) -> None:
    try:
        rows.insert(list(fresh))
    except IntegrityError as error:
        raise WriteRace("another transaction stated the same edge") from error
    if changed:
        Relationship.objects.bulk_update(list(changed), ["deleted_at", "metadata"])


def _verb(row: Relationship | None, edge: Edge) -> str:
    """Stating an edge that was taken back restores it."""
    was_deleted = row is not None and row.deleted_at is not None
    return "restored" if was_deleted and edge.kind == "store" else VERBS[edge.kind]


def _ends(edges: Sequence[Edge], known: Mapping[str, Entity]) -> dict[str, Entity]:
    wanted = {end for edge in edges for end in (edge.source_id, edge.target_id)}
    ends = {entity_id: known[entity_id] for entity_id in wanted if entity_id in known}
    while missing := wanted - ends.keys():
        ends.update({entity.pk: entity for entity in _entities(sorted(missing))})
        wanted = {entity.merged_into_id for entity in ends.values() if entity.merged_into_id}
    for edge in edges:
        for end in (edge.source_id, edge.target_id):
            if end not in ends:
                raise UnknownLinkTarget(
                    f"{edge.path}: there is no entity {end} that you can link.",
                    details={"path": edge.path, "entity_id": end},
                )
    return {end: _survivor(entity, ends) for end, entity in ends.items()}


def _survivor(entity: Entity, among: Mapping[str, Entity]) -> Entity:
    return _survivor(among[entity.merged_into_id], among) if entity.merged_into_id else entity


@prepared
def _entities(ids: list[str]) -> QuerySet[Entity]:
    return Entity.objects.only("entity_type", "thread_id", "merged_into").filter(pk__in=ids)


def _all_new(edges: Sequence[Edge], known: Mapping[str, Entity]) -> bool:
    """Edges from entities made in this transaction cannot exist yet."""
    return all(edge.kind == "store" and edge.source_id in known and known[edge.source_id].made_now for edge in edges)


def _new(edge_id: str, edge: Edge, actor: Actor, now: datetime) -> Relationship:
    return Relationship(
        id=edge_id,
        relationship_type=edge.relationship_type,
        source_id=edge.source_id,
        target_id=edge.target_id,
        metadata=dict(edge.metadata),
        actor_key=actor.key,
        created_at=now,
        deleted_at=now if edge.kind == "deletion" else None,
    )


def _change(row: Relationship, edge: Edge, now: datetime) -> bool:
    """Bring an edge to what is stated; False when it already says so."""
    deleted_at = now if edge.kind == "deletion" else None
    metadata = {**row.metadata, **edge.metadata}
    if (row.deleted_at is None) == (deleted_at is None) and metadata == row.metadata:
        return False
    row.deleted_at, row.metadata = deleted_at, metadata
    return True

"""Stating edges: existence of both ends, one row an edge, history, events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from django.db import IntegrityError, connection
from django.db.models import Q, QuerySet

from neotoma.substrate import rows
from neotoma.substrate.actors import Actor
from neotoma.substrate.drafts import Edge
from neotoma.substrate.errors import InvalidInput, UnknownLinkTarget, WriteRace
from neotoma.substrate.log import relationship_event
from neotoma.substrate.models import Entity, Event, Relationship, RelationshipObservation
from neotoma.substrate.models.relationships import relationship_id
from neotoma.substrate.prepared import prepared

VERBS = {"store": "created", "deletion": "deleted", "restoration": "restored"}
_END_COLUMNS = ("id", "entity_type", "thread_id", "merged_root_id", "regrouped")
Ends = tuple[str, str, str]
"""Type, source and target: what makes an edge that one."""


def state_edges(
    edges: Sequence[Edge], known: Mapping[str, Entity], made: dict[Ends, Relationship], actor: Actor, now: datetime
) -> tuple[list[Relationship], list[Event]]:
    """Write the edges, between what merged ends became; answers the rows in the order given and the events of those
    that changed.

    `made`: edges that the transaction inserted; the new ones are added. Raises `WriteRace` when another transaction
    made one of them first.
    """
    if not edges:
        return [], []
    ends = _ends(edges, known)
    edges = [_between(edge, ends) for edge in edges]
    held = {ends_of(edge): made[ends_of(edge)] for edge in edges if ends_of(edge) in made}
    if not _all_new(edges, known):
        held |= _standing([edge for edge in edges if ends_of(edge) not in held], ends)
    fresh: dict[Ends, Relationship] = {}
    changed: dict[Ends, Relationship] = {}
    events: list[Event] = []
    history: list[RelationshipObservation] = []
    for edge in edges:
        key = ends_of(edge)
        row = held.get(key) or fresh.get(key)
        verb = _verb(row, edge)
        told = verb == "created" and (key in made or key in fresh)
        if row is None:
            row = fresh[key] = _new(edge, actor, now)
        elif not _change(row, edge, now):
            continue
        elif key in held:
            changed[key] = row
        history.append(
            RelationshipObservation(
                relationship=row,
                stated_source=edge.source_id,
                stated_target=edge.target_id,
                kind=edge.kind,
                metadata=dict(edge.metadata),
                actor_key=actor.key,
                created_at=now,
            )
        )
        if not told:
            source = ends[edge.source_id]
            events.append(relationship_event(verb, row, source.entity_type, source.thread_id, actor))
    _save(fresh.values(), changed.values())
    _take_back_doubles([edge for edge in edges if edge.kind == "deletion"], ends)
    made.update(fresh)
    rows.insert(history)
    return [held.get(ends_of(edge)) or fresh[ends_of(edge)] for edge in edges], events


def held_edge(edge: Edge) -> Relationship | None:
    """The row of an edge, stated or taken back, between ends that are not merged away."""
    kind, source, target = ends_of(edge)
    rows_held = Relationship.objects.filter(source_id=source, relationship_type=kind, target_id=target)
    return min(rows_held, key=_how_apt, default=None)


def ends_of(edge: Edge) -> Ends:
    return edge.relationship_type, edge.source_id, edge.target_id


def _save(fresh: Iterable[Relationship], changed: Iterable[Relationship]) -> None:
    try:
        rows.insert(list(fresh))
    except IntegrityError as error:
        raise WriteRace("another transaction stated the same edge") from error
    if changed:
        Relationship.objects.bulk_update(list(changed), ["deleted_at", "metadata", "doubled"])


def _verb(row: Relationship | None, edge: Edge) -> str:
    """Stating an edge that was taken back restores it."""
    was_deleted = row is not None and row.deleted_at is not None
    return "restored" if was_deleted and edge.kind == "store" else VERBS[edge.kind]


def _ends(edges: Sequence[Edge], known: Mapping[str, Entity]) -> dict[str, Entity]:
    """By the id that was given: each end as it reads now."""
    wanted = {end for edge in edges for end in (edge.source_id, edge.target_id)}
    ends = {entity_id: known[entity_id] for entity_id in wanted if entity_id in known}
    missing = wanted - ends.keys()
    if missing:
        ends.update({entity.pk: entity for entity in _held_fast(sorted(missing))})
        merged = {entity.merged_root_id for entity in ends.values() if entity.merged_root_id}
        ends |= {entity.pk: entity for entity in _held_fast(sorted(merged))} if merged else {}
    for edge in edges:
        for end in (edge.source_id, edge.target_id):
            if end not in ends:
                raise UnknownLinkTarget(
                    f"{edge.path}: there is no entity {end} that you can link.",
                    details={"path": edge.path, "entity_id": end},
                )
    read_as = {entity_id: ends.get(entity.merged_root_id or "", entity) for entity_id, entity in ends.items()}
    return read_as | {entity.pk: entity for entity in read_as.values()}


def _between(edge: Edge, ends: Mapping[str, Entity]) -> Edge:
    source, target = ends[edge.source_id].pk, ends[edge.target_id].pk
    if source == target:
        raise InvalidInput.at(edge.path, "both ends are the same entity")
    return replace(edge, source_id=source, target_id=target)


def _held_fast(ids: list[str]) -> list[Entity]:
    """Ends, locked against being merged away before the edge is there; many may state edges to one at once."""
    if connection.vendor == "postgresql":
        table = connection.ops.quote_name(Entity._meta.db_table)
        columns = ", ".join(_END_COLUMNS)
        sql = f"SELECT {columns} FROM {table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE"  # noqa: S608  our names
        return list(Entity.objects.raw(sql, [ids]))
    return _entities(ids)


@prepared
def _entities(ids: list[str]) -> QuerySet[Entity]:
    return Entity.objects.only(*_END_COLUMNS).filter(pk__in=ids)


def _standing(edges: Sequence[Edge], ends: Mapping[str, Entity]) -> dict[Ends, Relationship]:
    """The rows of these edges. One that a merge moved keeps its id, so it is found by its ends."""
    moved = _between_regrouped(edges, ends)
    rows_held = Relationship.objects.select_for_update().order_by("pk")
    stated_so = Q(pk__in=sorted({relationship_id(*ends_of(edge)) for edge in edges}))
    found: dict[Ends, Relationship] = {}
    for row in rows_held.filter(stated_so | moved):
        best = found.get(_ends_of_row(row), row)
        found[_ends_of_row(row)] = min(best, row, key=_how_apt)
    return found


def _between_regrouped(edges: Iterable[Edge], ends: Mapping[str, Entity]) -> Q:
    """Those of the edges that a merge may have moved to where they are; empty when there is none."""
    found = Q()
    for kind, source, target in {ends_of(edge) for edge in edges}:
        if ends[source].regrouped or ends[target].regrouped:
            found |= Q(relationship_type=kind, source_id=source, target_id=target)
    return found


def _take_back_doubles(edges: Sequence[Edge], ends: Mapping[str, Entity]) -> None:
    """What says the same as an edge that is taken back does not return when its ends are parted."""
    moved = _between_regrouped(edges, ends)
    if moved:
        Relationship.objects.filter(moved, doubled=True).update(doubled=False)


def _ends_of_row(row: Relationship) -> Ends:
    return row.relationship_type, row.source_id, row.target_id


def _how_apt(row: Relationship) -> tuple[bool, bool, str]:
    """Of several rows with the same ends, the one that stands, or else the one that was stated just so."""
    return row.deleted_at is not None, row.pk != relationship_id(*_ends_of_row(row)), row.pk


def _all_new(edges: Sequence[Edge], known: Mapping[str, Entity]) -> bool:
    """Edges from entities made in this transaction cannot exist yet."""
    return all(edge.kind == "store" and edge.source_id in known and known[edge.source_id].made_now for edge in edges)


def _new(edge: Edge, actor: Actor, now: datetime) -> Relationship:
    return Relationship(
        id=relationship_id(*ends_of(edge)),
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
    row.deleted_at, row.metadata, row.doubled = deleted_at, metadata, False
    return True

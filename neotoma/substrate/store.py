"""The only writer of facts.

A `Write` is one transaction: drafts become observations, observations are reduced to snapshots, projections and
indexes follow, and the events of it all are inserted last under one lock, so that `Event.seq` is commit-ordered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from neotoma.substrate import catalogue, identity, rows
from neotoma.substrate.actors import Actor
from neotoma.substrate.checking import check_expectation, noteworthy, refuse_unknown
from neotoma.substrate.drafts import INSTANCE, Action, Draft, Edge, Stored
from neotoma.substrate.edges import Ends, state_edges
from neotoma.substrate.errors import InvalidInput, NotFound
from neotoma.substrate.grouping import grouping_of
from neotoma.substrate.log import changes, entity_events, insert_events
from neotoma.substrate.models import Entity, Event, Observation, Regrouping, Relationship, Source
from neotoma.substrate.prepared import prepared
from neotoma.substrate.reading import fact_of, replay, settle, state_of
from neotoma.substrate.reducer import apply, is_newest
from neotoma.substrate.saving import save_entities
from neotoma.substrate.schema import EntityType, type_of

OWNER_SCOPE = INSTANCE
"""Scope of ids that callers work out themselves."""


@contextmanager
def open_write(actor: Actor, now: datetime) -> Iterator[Write]:
    """One transaction of facts; everything or nothing. Raises `WriteRace` when it must run again.

    One that was `rehearsed` has done everything and leaves nothing.
    """
    with transaction.atomic(), catalogue.looked_up_once(locked=True):
        write = Write(actor, now)
        yield write
        if write.rehearsed:
            transaction.set_rollback(True)
        else:
            write.finish()


class Write:
    """The facts of one transaction, by one actor at one time. Made by `open_write` only."""

    def __init__(self, actor: Actor, now: datetime) -> None:
        self.actor, self.now = actor, now
        self.events: list[Event] = []
        self.known: dict[str, Entity] = {}
        self.rehearsed = False
        self._fresh: set[str] = set()
        self._edges: dict[Ends, Relationship] = {}

    def put(self, drafts: Sequence[Draft]) -> list[Stored]:
        """Store drafts in order; several may speak of one entity.

        Refuses wrong types, failed expectations and unknown ids.
        """
        types = [type_of(draft.entity_type) for draft in drafts]
        checked = [kind.validate(draft.fields, draft.path) for kind, draft in zip(types, drafts, strict=True)]
        for kind, draft in zip(types, drafts, strict=True):
            refuse_unknown(kind, draft)
        ids = [self._identify(draft, kind, fields) for draft, kind, fields in zip(drafts, types, checked, strict=True)]
        self._load(ids)
        entities = [self._entity(i, draft, kind) for i, draft, kind in zip(ids, drafts, types, strict=True)]
        for entity, draft in zip(entities, drafts, strict=True):
            check_expectation(entity, draft)
        facts = [self._observation(e, d, f) for e, d, f in zip(entities, drafts, checked, strict=True)]
        rows.insert(facts)
        stored = [
            self._reduce(entity, draft, kind, row)
            for entity, draft, kind, row in zip(entities, drafts, types, facts, strict=True)
        ]
        self._save(stored)
        self.events.extend(event for item in stored for event in entity_events(item, self.actor))
        return stored

    def lock(self, entity_id: str) -> Entity:
        """The entity's row, locked until the transaction ends, so that what depends on it is decided in order."""
        self._load([entity_id])
        if entity_id not in self.known:
            raise NotFound(f"There is no entity {entity_id}.", details={"entity_id": entity_id})
        return self.known[entity_id]

    def lock_whole(self, entity_ids: Sequence[str]) -> dict[str, Entity]:
        """Their own rows, merges not followed, locked even against edges that are stated to them meanwhile."""
        locked = Entity.objects.select_for_update().filter(pk__in=entity_ids).order_by("pk")
        held = {entity.pk: entity for entity in locked}
        self.known.update(held)
        return held

    def make(self, entity: Entity) -> None:
        """A new entity whose facts are stored already: `reduce_again` inserts it."""
        entity.created_at = entity.updated_at = self.now
        self.known[entity.pk] = entity
        self._fresh.add(entity.pk)

    def record(self, decision: Regrouping) -> None:
        decision.actor_key, decision.created_at = self.actor.key, self.now
        rows.insert([decision])

    def reduce_again(self, entities: Sequence[Entity]) -> list[Stored]:
        """Reduce from all the facts that count for them now, and save what derives.

        Events of what changed, but for those that are merged away.
        """
        stored = []
        for entity in entities:
            kind = type_of(entity.entity_type)
            before, is_new = _values(entity), self._is_new(entity)
            settle(entity, replay(grouping_of(entity), kind), kind, self.now)
            changed = _note_changes(entity, before)
            stored.append(Stored(entity, _action(is_new, False, False, bool(changed)), changed=changed))
        self._save(stored)
        told = [item for item in stored if item.entity.merged_into_id is None]
        self.events.extend(event for item in told for event in entity_events(item, self.actor))
        return stored

    def link(self, edges: Sequence[Edge]) -> list[Relationship]:
        """State edges; both ends must exist, else a refusal that names the edge's path."""
        stated, events = state_edges(edges, self.known, self._edges, self.actor, self.now)
        self.events.extend(events)
        return stated

    def keep(self, kind: str, content: str, *, raw_digest: str = "", mime_type: str = "application/json") -> Source:
        """Keep raw material; the caller has redacted it."""
        source = Source(
            kind=kind,
            content=content,
            content_hash=hashlib.sha256(content.encode()).hexdigest(),
            raw_digest=raw_digest,
            mime_type=mime_type,
            actor_key=self.actor.key,
            created_at=self.now,
        )
        rows.insert([source])
        return source

    def finish(self) -> None:
        """Insert the events and, last, their batch. Nothing may be written in the transaction after it."""
        insert_events(self.events, self.now)
        self.events = []

    def _identify(self, draft: Draft, kind: EntityType, fields: dict[str, object]) -> str:
        if draft.entity_id:
            return draft.entity_id
        key = draft.key or identity.canonical_key(fields, kind.identity)
        entity_id = identity.entity_id(draft.scope, draft.entity_type, key)
        if key.startswith("new:"):
            self._fresh.add(entity_id)
            self.known[entity_id] = Entity(id=entity_id, canonical_key=key)
        return entity_id

    def _load(self, ids: list[str]) -> None:
        wanted = sorted({i for i in ids if i not in self.known})
        if wanted:
            self.known.update({entity.pk: entity for entity in _locked(wanted)})
            self._follow_merges(wanted)

    def _follow_merges(self, ids: list[str]) -> None:
        for entity_id in ids:
            entity = self.known.get(entity_id)
            if entity is not None and entity.merged_root_id:
                self._load([entity.merged_root_id])
                self.known[entity_id] = self.known[entity.merged_root_id]

    def _entity(self, entity_id: str, draft: Draft, kind: EntityType) -> Entity:
        entity = self.known.get(entity_id)
        if entity is None:
            if draft.entity_id:
                raise NotFound(f"There is no entity {entity_id}.", details={"entity_id": entity_id})
            key = draft.key or identity.canonical_key(draft.fields, kind.identity)
            entity = self.known[entity_id] = Entity(id=entity_id, canonical_key=key)
            self._fresh.add(entity_id)
        if entity_id in self._fresh and not entity.entity_type:
            entity.entity_type, entity.visibility = kind.name, draft.visibility
            entity.thread_id = draft.thread_id or ""
            entity.owner = self.actor.key if draft.owner is None else draft.owner
            entity.created_at = entity.updated_at = self.now
        elif entity.entity_type != draft.entity_type:
            raise InvalidInput.at(draft.path, f"{entity_id} is a {entity.entity_type}, not a {draft.entity_type}")
        return entity

    def _observation(self, entity: Entity, draft: Draft, fields: dict[str, object]) -> Observation:
        return Observation(
            entity_id=entity.pk,
            kind=draft.kind,
            fields=fields,
            actor_key=self.actor.key,
            actor_kind=self.actor.kind,
            actor_name=self.actor.name,
            observation_source=draft.observation_source,
            priority=draft.priority,
            specificity=draft.specificity,
            source=draft.source,
            idempotency_key=draft.idempotency_key,
            # Clocks are read before locks are taken: who writes later is also observed later.
            observed_at=draft.observed_at or max(self.now, entity.last_observed_at or self.now),
            created_at=self.now,
        )

    def _reduce(self, entity: Entity, draft: Draft, kind: EntityType, row: Observation) -> Stored:
        before, touched_at = _values(entity), entity.updated_at
        was_deleted, is_new = entity.deleted_at is not None, self._is_new(entity)
        state, fact = state_of(entity), fact_of(row)
        if is_newest(state, fact):
            apply(state, fact, kind.reducers)
        else:
            state = replay(grouping_of(entity), kind)
        settle(entity, state, kind, self.now)
        changed = _note_changes(entity, before)
        action = _action(is_new, was_deleted, state.deleted, bool(changed))
        if action == "unchanged":
            entity.updated_at = touched_at
        return Stored(
            entity=entity,
            action=action,
            observation_id=row.pk,
            changed=changed,
            unknown_fields=kind.undeclared(draft.fields),
            warnings=noteworthy(draft, before, entity, row.pk),
        )

    def _is_new(self, entity: Entity) -> bool:
        """Whether nothing was known of it; of an older one all facts may have been split off."""
        return entity.pk in self._fresh and entity.observation_count == 0

    def _save(self, stored: Sequence[Stored]) -> None:
        touched = {item.entity.pk: item.entity for item in stored}
        save_entities(list(touched.values()), self._fresh)
        self._fresh.difference_update(touched)


@prepared
def _locked(ids: list[str]) -> QuerySet[Entity]:
    """Against other writers, not against those who only state an edge to them."""
    return Entity.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")


def _values(entity: Entity) -> dict[str, Any]:
    return {**entity.raw_fragments, **entity.snapshot}


def _note_changes(entity: Entity, before: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What became of the values; the entity keeps their names, and is called by what it says now."""
    changed = changes(before, _values(entity))
    entity.name = identity.display_name(entity.snapshot)
    entity.changed = (entity.changed or frozenset()) | changed.keys()
    return changed


def _action(is_new: bool, was_deleted: bool, is_deleted: bool, changed: bool) -> Action:
    if is_new:
        return "created"
    if was_deleted != is_deleted:
        return "deleted" if is_deleted else "restored"
    return "updated" if changed else "unchanged"

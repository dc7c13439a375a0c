"""Entities follow the definition of their type: those that are there when it changes are brought in line afterwards."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Q

from neotoma.substrate import catalogue
from neotoma.substrate.definition import DefinedType, TypeDefinition, made_from
from neotoma.substrate.models import Backfill, Entity
from neotoma.substrate.rebuild import rebuild_batch
from neotoma.substrate.schema import EntityType, open_type, type_of

FEW = 200
"""Entities of a type that are brought in line in the transaction that changes it, and of one later batch."""


def bring_in_line(name: str, before: TypeDefinition | None, now: datetime) -> int | None:
    """Have the entities of a type follow its definition as it is now; answers how many had to change.

    None when there are more than a few: then a `Backfill` does it batch by batch.
    """
    after, was = type_of(name), _made(name, before)
    if not _differing(was, after):
        return 0
    rows = _next(name, None, "")
    if len(rows) <= FEW:
        return _follow(rows, was, after)
    Backfill.objects.create(
        entity_type=name,
        before=before and before.model_dump(mode="json"),
        unready=sorted(after.indexed - was.indexed),
        touched_at=now,
    )
    catalogue.announce()
    return None


def step(backfill_id: int, now: datetime) -> bool:
    """Bring one batch in line; False when there is nothing more to do, or another worker is at it."""
    with transaction.atomic(), catalogue.looked_up_once(locked=True):
        rows = Backfill.objects.select_for_update(skip_locked=connection.features.has_select_for_update_skip_locked)
        held = rows.filter(pk=backfill_id).first()
        if held is None:
            return False
        batch = _next(held.entity_type, held.seen_at, held.seen_id)[:FEW]
        if not batch:
            held.delete()
            catalogue.announce()
            return False
        before = held.before and TypeDefinition.model_validate(held.before)
        _follow(batch, _made(held.entity_type, before), type_of(held.entity_type))
        held.seen_at, held.seen_id, held.touched_at = batch[-1].created_at, batch[-1].pk, now
        held.save()
        return True


def _next(name: str, seen_at: datetime | None, seen_id: str) -> list[Entity]:
    """One more than a few, newest first."""
    rows = Entity.objects.filter(entity_type=name).only("created_at", "snapshot", "raw_fragments")
    if seen_at is not None:
        rows = rows.filter(Q(created_at__lt=seen_at) | Q(created_at=seen_at, pk__lt=seen_id))
    return list(rows.order_by("-created_at", "-pk")[: FEW + 1])


def _follow(rows: Collection[Entity], before: EntityType, after: EntityType) -> int:
    differing = [row.pk for row in rows if _concerned({*row.snapshot, *row.raw_fragments}, before, after)]
    if differing:
        rebuild_batch(differing)
    return len(differing)


def _made(name: str, definition: TypeDefinition | None) -> EntityType:
    return made_from(definition) if definition else open_type(name)


def _differing(before: EntityType, after: EntityType) -> bool:
    """Whether any field is dealt with differently; one name stands for all that neither defines."""
    return _concerned({"", *_defined(before), *_defined(after)}, before, after)


def _concerned(names: Collection[str], before: EntityType, after: EntityType) -> bool:
    return any(_treatment(before, name) != _treatment(after, name) for name in names)


def _treatment(kind: EntityType, name: str) -> tuple[Any, ...]:
    defined = kind.definition.fields.get(name) if isinstance(kind, DefinedType) else None
    return kind.declares(name), defined and (defined.type, defined.reducer, defined.indexed)


def _defined(kind: EntityType) -> Collection[str]:
    return kind.definition.fields if isinstance(kind, DefinedType) else ()

"""What was stated about an entity, one observation after the other, in the order in which it came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from django.db import connection
from django.db.models import BooleanField, Q, QuerySet
from django.db.models.expressions import RawSQL

from neotoma.substrate.cursors import capped_total, decode_cursor, encode_cursor
from neotoma.substrate.grouping import grouping_of
from neotoma.substrate.models import Entity, Observation
from neotoma.substrate.schema import type_of

Order = Literal["newest", "oldest"]


@dataclass(frozen=True, slots=True)
class Stated:
    """One observation, without what its type hides. `stated_of`: the entity that it was stated of, before merges."""

    public_id: str
    kind: str
    fields: Mapping[str, Any]
    actor_key: str
    actor_kind: str
    actor_name: str
    observed_at: datetime
    ingested_at: datetime
    priority: int
    observation_source: str
    source_id: str | None
    stated_of: str
    cursor: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some observations in order, whether more follow, and how many there are in all, exact to 1,000."""

    stated: list[Stated]
    more: bool
    total: int
    total_capped: bool


def stretch(entity: Entity, *, field: str | None, order: Order, limit: int, cursor: str | None) -> Stretch:
    """Up to `limit` observations that count for the entity, after a cursor; with `field` those that speak of it."""
    rows = grouping_of(entity).observations()
    if field is not None:
        hidden = type_of(entity.entity_type).hidden
        rows = rows.none() if field in hidden else rows.filter(_speaks_of(field))
    total, capped = capped_total(rows)
    if cursor:
        (last,) = decode_cursor(cursor, int)
        rows = rows.filter(pk__lt=last) if order == "newest" else rows.filter(pk__gt=last)
    found = list(rows.order_by("-pk" if order == "newest" else "pk")[: limit + 1])
    stated = [_stated(row, entity, field) for row in found[:limit]]
    return Stretch(stated, len(found) > limit, total, capped)


def _speaks_of(field: str) -> Q | RawSQL:
    if connection.vendor == "postgresql":
        return Q(fields__has_key=field)
    keys = 'SELECT "key" FROM json_each("substrate_observation"."fields")'  # a path takes not every name
    return RawSQL(f"%s IN ({keys})", [field], output_field=BooleanField())  # noqa: S611  fixed text, parameters apart


def observation(entity: Entity, key: int, field: str) -> Stated | None:
    """One of the entity's observations, and what it says of one field."""
    rows: QuerySet[Observation] = grouping_of(entity).observations().filter(pk=key)
    row = rows.first()
    return _stated(row, entity, field) if row is not None else None


def _stated(row: Observation, entity: Entity, field: str | None) -> Stated:
    hidden = type_of(entity.entity_type).hidden
    shown = {name: value for name, value in row.fields.items() if name not in hidden and field in (None, name)}
    return Stated(
        public_id=row.public_id,
        kind=row.kind,
        fields=shown,
        actor_key=row.actor_key,
        actor_kind=row.actor_kind,
        actor_name=row.actor_name,
        observed_at=row.observed_at,
        ingested_at=row.created_at,
        priority=row.priority,
        observation_source=row.observation_source,
        source_id=f"src_{row.source_id}" if row.source_id is not None else None,
        stated_of=row.entity_id,
        cursor=encode_cursor(row.pk),
    )

"""Lists in order, page by page: by time, or by a field of one type. A cursor names the last row that was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from operator import gt, lt
from typing import Any, Literal

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q

from neotoma.substrate.cursors import decode_cursor, encode_cursor
from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.indexing import index_number, index_text
from neotoma.substrate.models import Entity, FieldValue
from neotoma.substrate.models.entities import WHOLE, EntityQuerySet
from neotoma.substrate.queries import rows_with
from neotoma.substrate.schema import EntityType, type_of
from neotoma.substrate.times import cursor_instant
from neotoma.substrate.values import KINDS, kind_of

Order = Literal["asc", "desc"]
TIMES = ("updated_at", "created_at")
ABSENT = "absent"
"""In place of a kind: entities that have no value of the field come last, whatever the order."""


KINDS_AND_NONE = (*KINDS, ABSENT)


@dataclass(frozen=True, slots=True)
class Listed:
    """A row and the cursor of what follows it."""

    entity: Entity
    cursor: str


def page(
    rows: EntityQuerySet, types: Sequence[str], sort_by: str, order: Order, limit: int, cursor: str | None
) -> tuple[list[Listed], bool]:
    """Up to `limit` rows in a total order (value, id), and whether more follow."""
    if sort_by in TIMES:
        found = _by_time(rows, sort_by, order, limit + 1, cursor)
    else:
        found = _by_field(rows, _the_type(types, sort_by), sort_by, order, limit + 1, cursor)
    return found[:limit], len(found) > limit


def _by_time(rows: EntityQuerySet, sort_by: str, order: Order, most: int, cursor: str | None) -> list[Listed]:
    sign, step = _direction(order)
    if cursor:
        moment, last = decode_cursor(cursor, str, str)
        at = cursor_instant(moment)
        rows = rows.filter(Q(**{f"{sort_by}__{step}": at}) | Q(**{sort_by: at, f"pk__{step}": last}))
    found = rows.order_by(f"{sign}{sort_by}", f"{sign}pk")[:most]
    return [Listed(row, encode_cursor(getattr(row, sort_by).astimezone(UTC).isoformat(), row.pk)) for row in found]


def _the_type(types: Sequence[str], sort_by: str) -> EntityType:
    """Fields of different types have nothing in common but their name."""
    if len(types) != 1:
        raise InvalidInput.at(
            "sort_by", "a field is one of a single type", hint=f"Name one entity_type, or sort by {' or '.join(TIMES)}."
        )
    kind = type_of(types[0])
    if not kind.declares(sort_by) or sort_by in kind.hidden:
        raise InvalidInput.at("sort_by", f"{kind.name} declares no such field")
    return kind


def _by_field(
    rows: EntityQuerySet, kind: EntityType, field: str, order: Order, most: int, cursor: str | None
) -> list[Listed]:
    after = _after(cursor)
    if field not in kind.filterable:
        return _in_memory(rows, kind, field, order, most, after)
    found: list[Listed] = []
    kinds = [*(KINDS if order == "asc" else reversed(KINDS)), ABSENT]
    if after is not None:
        kinds = kinds[kinds.index(after.kind) :]
    for one in kinds:
        if len(found) < most:
            found += _stretch(rows, kind, field, one, order, most - len(found), after)
        after = None
    return found


@dataclass(frozen=True, slots=True)
class _Position:
    """Of a row: the kind of its value, the value as the index has it, the id."""

    kind: str
    value: str | float
    last: str

    @property
    def cursor(self) -> str:
        return encode_cursor(self.kind, repr(self.value) if isinstance(self.value, float) else self.value, self.last)


def _after(cursor: str | None) -> _Position | None:
    if not cursor:
        return None
    kind, value, last = decode_cursor(cursor, str, str, str)
    if kind == "number":
        try:
            return _Position(kind, float(value), last)
        except ValueError:
            kind = ""
    if kind not in KINDS_AND_NONE:
        raise InvalidInput.at("cursor", "not a cursor of this list", hint="Hand back next_cursor unchanged.")
    return _Position(kind, value, last)


def _stretch(
    rows: EntityQuerySet, kind: EntityType, field: str, part: str, order: Order, most: int, after: _Position | None
) -> Iterator[Listed]:
    """The next rows whose value is of one kind, walking along the index."""
    sign, step = _direction(order)
    if part == ABSENT:
        held = FieldValue.objects.filter(entity=OuterRef("pk"), field=field, kind__in=WHOLE)
        rows = rows.exclude(Exists(held)).order_by("pk")
        rows = rows.filter(pk__gt=after.last) if after else rows
        return (Listed(row, _Position(ABSENT, "", row.pk).cursor) for row in rows[:most])
    column = "number" if part == "number" else "text"
    condition = Q(held__entity_type=kind.name, held__field=field, held__kind=part)
    if after:  # one condition with the rest: a second one on the same rows would be met by other rows of theirs
        further = Q(**{f"held__{column}__{step}": after.value})
        condition &= further | Q(**{f"held__{column}": after.value, f"held__entity_id__{step}": after.last})
    rows = rows.annotate(held=FilteredRelation("field_values")).filter(condition)
    rows = rows.annotate(sorted_by=F(f"held__{column}"))
    found = rows.order_by(f"{sign}held__{column}", f"{sign}held__entity_id")[:most]
    return (Listed(row, _Position(part, vars(row)["sorted_by"], row.pk).cursor) for row in found)


def _in_memory(
    rows: EntityQuerySet, kind: EntityType, field: str, order: Order, most: int, after: _Position | None
) -> list[Listed]:
    """In the same order, of as many rows as may be looked at."""
    all_rows = [_position(pk, kind.comparable(field, value)) for pk, value in rows_with(rows, field, "sort_by")]
    valued = sorted((one for one in all_rows if one.kind != ABSENT), key=_key, reverse=order == "desc")
    absent = sorted((one for one in all_rows if one.kind == ABSENT), key=_key)
    if after is not None:
        is_ahead = gt if order == "asc" else lt
        valued = [one for one in valued if after.kind != ABSENT and is_ahead(_key(one), _key(after))]
        absent = [one for one in absent if after.kind != ABSENT or one.last > after.last]
    chosen = [*valued, *absent][:most]
    held = rows.in_bulk([one.last for one in chosen])
    return [Listed(held[one.last], one.cursor) for one in chosen if one.last in held]


def _position(pk: str, value: Any) -> _Position:
    if value is None:
        return _Position(ABSENT, "", pk)
    number = index_number(value)
    return _Position(kind_of(value), index_text(value) if number is None else number, pk)


def _key(one: _Position) -> tuple[Any, ...]:
    return KINDS_AND_NONE.index(one.kind), one.value, one.last


def _direction(order: Order) -> tuple[str, str]:
    return ("-", "lt") if order == "desc" else ("", "gt")

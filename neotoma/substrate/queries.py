"""Reading many entities: filters that use an index or are refused, keyset pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q

from neotoma.substrate.actors import Audience
from neotoma.substrate.cursors import decode_cursor, encode_cursor
from neotoma.substrate.errors import InvalidInput, Refusal
from neotoma.substrate.indexing import TEXT_LIMIT, index_number, index_text
from neotoma.substrate.models import Entity, FieldValue
from neotoma.substrate.models.entities import EntityQuerySet, seen_by
from neotoma.substrate.schema import declared_types, type_of
from neotoma.substrate.search import matching
from neotoma.substrate.times import cursor_instant, instant

SCAN_LIMIT = 10_000
"""Rows that a filter without an index may look at; beyond it the filter is refused."""
_COMPARISONS = {"eq": "", "gt": "__gt", "lt": "__lt", "gte": "__gte", "lte": "__lte"}


class NotIndexed(Refusal):
    """A filter would scan too many rows."""

    error_code = "FIELD_NOT_INDEXED"
    status = 422
    hint = "Narrow by entity_type and search, or ask the operator to declare the field as indexed."


def alive_of_types(rows: EntityQuerySet, types: Sequence[str]) -> EntityQuerySet:
    """Entities that are neither deleted nor merged away, of these types (none means all)."""
    rows = rows.alive()
    if len(types) == 1:
        return rows.filter(entity_type=types[0])
    return rows.filter(entity_type__in=types) if types else rows


def by_field(rows: EntityQuerySet, types: Sequence[str], field: str, op: str, value: Any) -> EntityQuerySet:
    """Narrow by one field, through the index where the type declares it."""
    asked = [type_of(name) for name in types]
    if any(field in one.hidden for one in asked or declared_types().values()):
        raise InvalidInput.at(f"filters.{field}", "not a field that can be filtered by")
    if asked and all(field in one.filterable for one in asked):
        value = asked[0].comparable(field, value)
        return rows.filter(pk__in=_indexed(types, field, op, value).values("entity_id"))
    if rows.order_by().values("pk")[: SCAN_LIMIT + 1].count() > SCAN_LIMIT:
        raise NotIndexed(f"filters.{field}: not indexed, and more than {SCAN_LIMIT} entities would be scanned.")
    if not field.isidentifier():
        raise InvalidInput.at(f"filters.{field}", "not a field name")
    held = rows.values_list("pk", f"snapshot__{field}", f"raw_fragments__{field}")
    return rows.filter(pk__in=[pk for pk, *kept in held if any(compare(one, op, value) for one in kept)])


def compare(current: Any, op: str, value: Any) -> bool:
    """The meaning of a filter on one value; values of different kinds never match."""
    if op == "in":
        return isinstance(value, list) and current in value
    if op == "contains":
        return _contains(current, value)
    if op == "eq":
        return bool(current == value)
    if current is None or type(current) is bool or isinstance(current, str) != isinstance(value, str):
        return False
    if not isinstance(current, str | int | float) or not isinstance(value, str | int | float):
        return False
    pair: tuple[Any, Any] = (current, value)
    return bool(
        {"gt": pair[0] > pair[1], "lt": pair[0] < pair[1], "gte": pair[0] >= pair[1], "lte": pair[0] <= pair[1]}[op]
    )


def _contains(current: Any, value: Any) -> bool:
    if isinstance(current, list):
        return value in current
    return isinstance(current, str) and isinstance(value, str) and value.casefold() in current.casefold()


def _indexed(types: Sequence[str], field: str, op: str, value: Any) -> Any:
    rows = FieldValue.objects.filter(entity_type__in=types, field=field)
    if op == "in":
        return rows.filter(text__in=[index_text(item) for item in _listed(field, value)])
    if op == "contains":
        return rows.filter(text__icontains=index_text(value))
    number = index_number(value)
    if number is not None:
        return rows.filter(**{f"number{_COMPARISONS[op]}": number})
    if isinstance(value, str) and len(value) > TEXT_LIMIT:
        raise InvalidInput.at(f"filters.{field}.value", f"longer than {TEXT_LIMIT} characters")
    return rows.filter(**{f"text{_COMPARISONS[op]}": index_text(value)})


def _listed(field: str, value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > 100:
        raise InvalidInput.at(f"filters.{field}.value", "`in` takes a list of at most 100 values")
    return value


def since(rows: EntityQuerySet, updated: datetime | None, created: datetime | None) -> EntityQuerySet:
    """Changed, made at or after these times."""
    for name, moment in (("updated", updated), ("created", created)):
        if moment is not None:
            rows = rows.filter(**{f"{name}_at__gte": instant(moment, f"{name}_since")})
    return rows


def by_text(rows: EntityQuerySet, types: Sequence[str], query: str, audience: Audience) -> EntityQuerySet:
    """Entities whose text holds every word, among the newest matches that the audience may see."""
    seen = seen_by(audience, "entity__")
    return rows.filter(pk__in=list(matching(query, entity_types=types, within=seen)))


def page(
    rows: EntityQuerySet, sort_by: str, order: str, limit: int, cursor: str | None
) -> tuple[list[Entity], str | None]:
    """One page in a total order (time, id), and the cursor of the next."""
    sign, step = ("-", "lt") if order == "desc" else ("", "gt")
    if cursor:
        moment, last = decode_cursor(cursor, str, str)
        at = cursor_instant(moment)
        rows = rows.filter(Q(**{f"{sort_by}__{step}": at}) | Q(**{sort_by: at, f"pk__{step}": last}))
    found = list(rows.order_by(f"{sign}{sort_by}", f"{sign}pk")[: limit + 1])
    if len(found) <= limit:
        return found, None
    last_row = found[limit - 1]
    return found[:limit], encode_cursor(getattr(last_row, sort_by).astimezone(UTC).isoformat(), last_row.pk)

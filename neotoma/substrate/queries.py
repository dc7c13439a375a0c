"""Narrowing down many entities: filters that use an index or are refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, Q, QuerySet
from django.db.models.fields.json import KeyTransform

from neotoma.substrate.actors import Audience
from neotoma.substrate.errors import InvalidInput, Refusal
from neotoma.substrate.indexing import TEXT_LIMIT, index_number, index_text
from neotoma.substrate.models import FieldValue
from neotoma.substrate.models.entities import WHOLE, EntityQuerySet, seen_by
from neotoma.substrate.schema import EntityType, declared_types, type_of
from neotoma.substrate.search import matching
from neotoma.substrate.times import instant
from neotoma.substrate.values import compare, folded, kind_of, text_of

SCAN_LIMIT = 10_000
"""Rows that a filter without an index may look at; beyond it the filter is refused."""
MOST_VALUES = 100
"""Values of one `in`."""
LARGEST_EXACT = 2**53
"""Whole numbers beyond it are compared by their digits too, since an index keeps fewer."""


class NotIndexed(Refusal):
    """It would scan too many rows."""

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
    """Narrow by one field, through the index where every type declares it; the meaning is `values.compare`."""
    path = f"filters.{field}"
    asked = [type_of(name) for name in types]
    if any(field in one.hidden for one in asked or declared_types().values()):
        raise InvalidInput.at(path, "not a field that can be filtered by")
    if op == "in" and not (isinstance(value, list) and len(value) <= MOST_VALUES):
        raise InvalidInput.at(f"{path}.value", f"`in` takes a list of at most {MOST_VALUES} values")
    if asked and all(field in one.filterable for one in asked):
        _refuse_long(op, value, f"{path}.value")
        return _by_index(rows, types, field, op, _comparable(asked[0], field, op, value))
    held = rows_with(rows, field, path)
    return rows.filter(pk__in=[pk for pk, current in held if compare(current, op, value)])


def rows_with(rows: EntityQuerySet, field: str, path: str) -> list[tuple[str, Any]]:
    """(id, value of a field) of each; refused where there are too many to look at."""
    if rows.order_by().values("pk")[: SCAN_LIMIT + 1].count() > SCAN_LIMIT:
        raise NotIndexed(f"{path}: not indexed, and more than {SCAN_LIMIT} entities would be scanned.")
    found = rows.order_by().values_list("pk", *(_value_of(field, column) for column in ("raw_fragments", "snapshot")))
    if not field.isidentifier():
        return [(pk, {**aside, **snapshot}.get(field)) for pk, aside, snapshot in found]
    return [(pk, aside if current is None else current) for pk, aside, current in found]


def _value_of(field: str, column: str) -> KeyTransform | F:
    """What holds the value: the databases do not agree on how other names than plain ones are written in a path."""
    return KeyTransform(field, column) if field.isidentifier() else F(column)


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


def _comparable(kind: EntityType, field: str, op: str, value: Any) -> Any:
    return [kind.comparable(field, one) for one in value] if op == "in" else kind.comparable(field, value)


def _refuse_long(op: str, value: Any, path: str) -> None:
    """What is longer than what the index keeps of a value would equal nothing."""
    if op in ("eq", "in") and any(len(text_of(one)) > TEXT_LIMIT for one in (value if op == "in" else [value])):
        raise InvalidInput.at(path, f"longer than {TEXT_LIMIT} characters")


def _by_index(rows: EntityQuerySet, types: Sequence[str], field: str, op: str, value: Any) -> EntityQuerySet:
    held = FieldValue.objects.filter(entity_type__in=types, field=field)
    if op in ("eq", "in"):
        wanted = value if op == "in" else [value]
        found = Q(pk__in=_of(held.filter(_equal_to_any(wanted, item=False))))
        if any(one is None for one in wanted):
            found |= ~Q(pk__in=_of(held.filter(kind__in=WHOLE)))
        return rows.filter(found)
    if op == "contains":
        parts = Q(kind="text", folded__contains=folded(value)) if isinstance(value, str) else Q(pk__in=[])
        return rows.filter(pk__in=_of(held.filter(parts | _equal_to_any([value], item=True))))
    kind = kind_of(value)
    if kind == "json":
        return rows.none()
    side = {f"number__{op}": value} if kind == "number" else {f"text__{op}": index_text(value)}
    return rows.filter(pk__in=_of(held.filter(kind=kind, **side)))


def _of(rows: QuerySet[FieldValue]) -> QuerySet[FieldValue, Any]:
    return rows.values("entity_id")


def _equal_to_any(values: Collection[Any], *, item: bool) -> Q:
    """Rows of values, or of elements of lists, that equal one of these."""
    suffix = "_item" if item else ""
    texts: dict[str, list[str]] = {"text": [], "json": []}
    found = Q(pk__in=[])
    for value in values:
        kind = kind_of(value)
        if kind != "number":
            texts[kind].append(index_text(value))
            continue
        exact = {"text": index_text(value)} if abs(value) > LARGEST_EXACT else {}
        found |= Q(kind=f"number{suffix}", number=index_number(value), **exact)
    for name, some in texts.items():
        if some:
            found |= Q(kind=f"{name}{suffix}", text__in=some)
    return found

"""The side tables that make entities findable: indexed fields and full text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neotoma.substrate import rows
from neotoma.substrate.canonical import canonical_json, search_text
from neotoma.substrate.models import Entity, FieldValue, SearchDocument
from neotoma.substrate.schema import type_of
from neotoma.substrate.search import words_stored

TEXT_LIMIT = 300


def index_entities(entities: Sequence[Entity], *, fresh: bool) -> None:
    """Bring the side tables in line with the snapshots; `fresh` entities have no rows there yet."""
    _index_text(entities, fresh)
    _index_fields(entities, fresh)


def _index_text(entities: Sequence[Entity], fresh: bool) -> None:
    touched = [entity for entity in entities if fresh or entity.touched(_searchable(entity))]
    if fresh:
        rows.insert([_document(entity) for entity in touched])
    else:
        SearchDocument.objects.bulk_create(
            [_document(entity) for entity in touched],
            update_conflicts=True,
            unique_fields=["entity"],
            update_fields=["words"],
        )


def _document(entity: Entity) -> SearchDocument:
    words = words_stored(entity.entity_type, search_text(_searchable(entity)))
    return SearchDocument(entity_id=entity.pk, entity_type=entity.entity_type, words=words)


def _searchable(entity: Entity) -> dict[str, Any]:
    kind = type_of(entity.entity_type)
    shown = kind.shown(entity.snapshot)
    if kind.searchable is not None:
        return {name: shown.get(name) for name in kind.searchable}
    return {**entity.raw_fragments, **shown}


def _index_fields(entities: Sequence[Entity], fresh: bool) -> None:
    touched = [entity for entity in entities if fresh or entity.touched(type_of(entity.entity_type).indexed)]
    indexed = [entity.pk for entity in touched if type_of(entity.entity_type).indexed]
    if not fresh and indexed:
        FieldValue.objects.filter(entity_id__in=indexed).delete()
    rows.insert([row for entity in touched for row in field_rows(entity)])


def field_rows(entity: Entity) -> list[FieldValue]:
    """One row for each indexed field that has a value."""
    kind = type_of(entity.entity_type)
    names = sorted(kind.indexed & entity.snapshot.keys())
    return [
        FieldValue(
            entity_id=entity.pk,
            entity_type=entity.entity_type,
            field=name,
            text=index_text(kind.comparable(name, entity.snapshot[name])),
            number=index_number(entity.snapshot[name]),
        )
        for name in names
    ]


def index_text(value: Any) -> str:
    """The comparable text of a value; long ones are cut, so equality on them is checked on the snapshot too."""
    return (value if isinstance(value, str) else canonical_json(value))[:TEXT_LIMIT]


def index_number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

"""The side tables that make entities findable: indexed fields and full text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neotoma.substrate import rows
from neotoma.substrate.canonical import search_text
from neotoma.substrate.models import Entity, FieldValue, SearchDocument
from neotoma.substrate.schema import type_of
from neotoma.substrate.search import words_stored
from neotoma.substrate.values import folded, kind_of, text_of

TEXT_LIMIT = 300
CUT = "\uffff"
"""Ends a text that was cut: the last of all characters that are no half of one."""


def index_entities(entities: Sequence[Entity], *, fresh: bool) -> None:
    """Bring the side tables in line with the snapshots; `fresh` entities have no rows there yet."""
    _index_text(entities, fresh)
    _index_fields(entities, fresh)


def _index_text(entities: Sequence[Entity], fresh: bool) -> None:
    touched = [entity for entity in entities if fresh or _other_text(entity)]
    if fresh:
        rows.insert([document(entity) for entity in touched])
    else:
        SearchDocument.objects.bulk_create(
            [document(entity) for entity in touched],
            update_conflicts=True,
            unique_fields=["entity"],
            update_fields=["words"],
        )


def _other_text(entity: Entity) -> bool:
    """Whether the text may be another one now; where all fields are searched, one that is gone changes it too."""
    names = type_of(entity.entity_type).searchable
    return entity.touched(names) if names is not None else entity.changed is None or bool(entity.changed)


def document(entity: Entity) -> SearchDocument:
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
    """Of each indexed field that has a value: one row for it, and one for each different element of a list."""
    kind = type_of(entity.entity_type)
    made = []
    for name in sorted(kind.indexed & entity.snapshot.keys()):
        value = entity.snapshot[name]
        parts = rows_of_value(value, index_text(kind.comparable(name, value)))
        made += [FieldValue(entity_id=entity.pk, entity_type=entity.entity_type, field=name, **part) for part in parts]
    return made


def rows_of_value(value: Any, text: str) -> list[dict[str, Any]]:
    """Columns of the rows of one value whose comparable text is known."""
    kind = kind_of(value)
    whole = {
        "kind": kind,
        "text": text,
        "number": index_number(value),
        "folded": folded(value) if kind == "text" else "",
    }
    items = {
        (kind_of(one), index_text(one)): {
            "kind": f"{kind_of(one)}_item",
            "text": index_text(one),
            "number": index_number(one),
        }
        for one in (value if isinstance(value, list) else ())
    }
    return [whole, *items.values()]


def index_text(value: Any) -> str:
    """The comparable text of a value. Long ones are cut and end like no other, so that they equal none that is not."""
    text = text_of(value)
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + CUT


def index_number(value: Any) -> float | None:
    return float(value) if kind_of(value) == "number" else None

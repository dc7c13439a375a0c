"""Entity rows, and what derives from them: indexes and projections."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import IntegrityError

from neotoma.substrate import rows
from neotoma.substrate.errors import WriteRace
from neotoma.substrate.indexing import index_entities
from neotoma.substrate.models import Entity
from neotoma.substrate.schema import type_of


def save_entities(entities: Sequence[Entity], fresh: Collection[str]) -> None:
    """New rows, whose ids are in `fresh`, and changed ones, by one statement each; then what derives from them.

    Raises `WriteRace` when another transaction made one of the new ones first.
    """
    new = [entity for entity in entities if entity.pk in fresh]
    older = [entity for entity in entities if entity.pk not in fresh]
    if new:
        _insert(new)
        index_entities(new, fresh=True)
    if older:
        rows.update(older[0]) if len(older) == 1 else rows.upsert(older)
        index_entities(older, fresh=False)
    project(entities)


def project(entities: Sequence[Entity]) -> None:
    """Bring the typed tables in line with the snapshots."""
    by_type: dict[str, list[Entity]] = {}
    for entity in entities:
        by_type.setdefault(entity.entity_type, []).append(entity)
    for name, group in by_type.items():
        projection = type_of(name).projection
        if projection is not None:
            projection(group)


def _insert(entities: Sequence[Entity]) -> None:
    try:
        rows.insert(entities)
    except IntegrityError as error:
        raise WriteRace("another transaction made the same entity") from error
    for entity in entities:
        entity.made_now = True

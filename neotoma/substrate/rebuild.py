"""Projections and indexes again, from observations alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db import transaction
from django.db.models import Q

from neotoma.substrate import catalogue, identity
from neotoma.substrate.grouping import grouping_of
from neotoma.substrate.indexing import index_entities
from neotoma.substrate.models import Entity
from neotoma.substrate.reading import replay, settle
from neotoma.substrate.saving import project
from neotoma.substrate.schema import type_of

BATCH = 200


def rebuild(entity_types: Sequence[str] = ()) -> Iterator[int]:
    """Replay every entity (of these types) and write what derives from it; yields how many are done.

    Upserts and never deletes. Changes nothing when everything is in line, and `updated_at` never. Goes from the oldest
    entity to the newest, so that a lost search index is found newest first again. Definitions of types come first.
    """
    _rebuild_definitions()
    rows = Entity.objects.filter(entity_type__in=entity_types) if entity_types else Entity.objects.all()
    rows, done, after = rows.order_by("created_at", "pk"), 0, Q()
    while batch := list(rows.filter(after).values_list("created_at", "pk")[:BATCH]):
        with transaction.atomic(), catalogue.looked_up_once(locked=True):
            rebuild_batch([pk for _, pk in batch])
        moment, last = batch[-1]
        done, after = done + len(batch), Q(created_at__gt=moment) | Q(created_at=moment, pk__gt=last)
        yield done


def _rebuild_definitions() -> None:
    with transaction.atomic():
        rebuild_batch(list(Entity.objects.filter(entity_type=catalogue.DEFINITION.name).values_list("pk", flat=True)))
        catalogue.announce()


def rebuild_batch(ids: list[str]) -> None:
    """Replay these entities within the running transaction; what derives from them follows."""
    entities = list(Entity.objects.select_for_update().filter(pk__in=ids).order_by("pk"))
    for entity in entities:
        kind = type_of(entity.entity_type)
        touched_at = entity.updated_at
        settle(entity, replay(grouping_of(entity), kind), kind, touched_at)
        entity.name = identity.display_name(entity.snapshot)
        entity.save()
    index_entities(entities, fresh=False)
    project(entities)

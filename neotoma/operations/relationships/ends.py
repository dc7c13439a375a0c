"""The ends of edges, with the caller's eyes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.db.models import QuerySet

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.substrate.actors import Audience
from neotoma.substrate.drafts import Edge
from neotoma.substrate.errors import UnknownLinkTarget, WriteRace
from neotoma.substrate.models import Entity, Relationship
from neotoma.substrate.prepared import prepared


def settled(context: Context, edges: Sequence[Edge]) -> list[Edge]:
    """The same edges between the entities that their ids stand for now, merges followed.

    Refuses ends that are unknown or not visible, all by name, and sources that the caller may not write.
    """
    held = _seen(context, [end for edge in edges for end in (edge.source_id, edge.target_id)])
    _refuse_missing(edges, held)
    for edge in edges:
        source = held[edge.source_id]
        targets.refuse_foreign_entity(context, source, _path(edge, "source"))
        targets.refuse_managed(source.entity_type, _path(edge, "source"))
        if edge.relationship_type in targets.COMPOSING:
            targets.refuse_managed(held[edge.target_id].entity_type, edge.path or "target_entity_id")
    return [replace(edge, source_id=held[edge.source_id].pk, target_id=held[edge.target_id].pk) for edge in edges]


def link(context: Context, edges: Sequence[Edge]) -> list[Relationship]:
    """Write settled edges; runs the call again when an end was merged before it was held."""
    rows = context.write.link(edges)
    if any((row.source_id, row.target_id) != (e.source_id, e.target_id) for row, e in zip(rows, edges, strict=True)):
        raise WriteRace("another transaction merged an end meanwhile")
    return rows


def _seen(context: Context, ids: Sequence[str]) -> dict[str, Entity]:
    """The visible entities behind ids."""
    held = {entity.pk: entity for entity in _visible(context.audience, sorted(set(ids)))}
    merged = {entity.pk: entity.merged_root_id for entity in held.values() if entity.merged_root_id}
    if merged:
        roots = {entity.pk: entity for entity in _visible(context.audience, sorted(set(merged.values())))}
        for entity_id, root in merged.items():
            held.pop(entity_id)
            if root in roots:
                held[entity_id] = roots[root]
    return held


@prepared
def _visible(audience: Audience, ids: list[str]) -> QuerySet[Entity]:
    rows = Entity.objects.visible_to(audience).filter(pk__in=ids)
    return rows.only("entity_type", "owner", "thread_id", "merged_root")


def _refuse_missing(edges: Sequence[Edge], held: dict[str, Entity]) -> None:
    missing = [
        (number, _path(edge, side), end)
        for number, edge in enumerate(edges)
        for side, end in (("source", edge.source_id), ("target", edge.target_id))
        if end not in held
    ]
    if not missing:
        return
    _, path, entity_id = missing[0]
    problem = f"there is no entity {entity_id[:40]} that you can link"
    raise UnknownLinkTarget(
        f"{path}: {problem}.",
        details={
            "path": path,
            "entity_id": entity_id[:40],
            "indexes": sorted({number for number, _, _ in missing}),
            "fields": [
                {"path": path, "problem": f"no entity {end[:40]} that you can link"} for _, path, end in missing
            ],
        },
    )


def _path(edge: Edge, side: str) -> str:
    return f"{edge.path}.{side}_entity_id".lstrip(".")

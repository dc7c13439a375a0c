"""Store entities."""

from __future__ import annotations

from collections.abc import Sequence

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.storing import (
    EntityIn,
    RelationshipIn,
    StoredEntity,
    StoreParams,
    StoreResult,
    warnings_of,
    warnings_of_unknown,
)
from neotoma.operations.registry import Route, operation
from neotoma.operations.sources.shapes import citable
from neotoma.substrate.drafts import Draft, Edge, Stored
from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.identity import fresh_key
from neotoma.substrate.models import Source
from neotoma.substrate.schema import type_of

WOULD = {"created": "would_create", "updated": "would_update"}


@operation(
    "store",
    title="Store entities",
    effect="write",
    risk="low",
    undo="delete_entity",
    additive=True,
    scopes=("write", "report"),
    route=Route("POST", "entities"),
    toolset="core",
    status=201,
)
def store(context: Context, params: StoreParams) -> StoreResult:
    """Store entities and the relationships between them, all or nothing.

    For any record worth remembering; facts add up. Not for issues (submit_issue). Undo: delete_entity.
    """
    for position, item in enumerate(params.entities):
        targets.refuse_managed(item.entity_type, f"entities.{position}")
    material = citable(context, params.source_id, "source_id") if params.source_id else None
    drafts = [_draft(context, params, position, item, material) for position, item in enumerate(params.entities)]
    stored = context.write.put(drafts)
    ids = [item.entity.pk for item in stored]
    # After the write: only now are the rows locked and merges followed. A refusal takes everything back.
    older = [(d.path, i.entity.pk) for d, i in zip(drafts, stored, strict=True) if not i.entity.made_now]
    targets.refuse_foreign(context, older)
    rows = context.write.link(_edges(context, params.relationships, ids))
    context.about(ids[0], entities=len(ids), relationships=len(rows))
    context.write.rehearsed = not params.commit
    return StoreResult(
        entities=[_stored(item, committed=params.commit) for item in stored],
        relationships_created=[row.pk for row in rows] if params.commit else [],
        unknown_fields=sorted({name for item in stored for name in item.unknown_fields}),
        warnings=[w for item in stored for w in warnings_of_unknown(item)],
    )


def _draft(context: Context, params: StoreParams, position: int, item: EntityIn, material: Source | None) -> Draft:
    path = f"entities.{position}"
    if item.target_id is not None:
        held = targets.writable(context, item.target_id, path=f"{path}.target_id")
        targets.refuse_managed(held.entity_type, f"{path}.target_id")
        if item.create_new:
            raise InvalidInput.at(f"{path}.create_new", "with a target_id it cannot be a new one")
    unknown = type_of(item.entity_type).undeclared(item.fields)
    if params.strict and unknown:
        raise InvalidInput(
            f"{path}: {item.entity_type} does not declare {', '.join(unknown)}.",
            hint="Leave them out, or call without strict to keep them aside.",
            details={"fields": [{"path": f"{path}.{name}", "problem": "not declared"} for name in unknown]},
        )
    return Draft(
        entity_type=item.entity_type,
        fields=item.fields,
        entity_id=item.target_id or "",
        key=fresh_key() if item.create_new else "",
        scope=targets.scope(context),
        priority=params.source_priority,
        observation_source=params.observation_source,
        source=material,
        idempotency_key=params.idempotency_key or "",
        expect=item.expect,
        path=path,
    )


def _edges(context: Context, stated: Sequence[RelationshipIn], ids: list[str]) -> list[Edge]:
    """Between entities of this call, which the caller may write, and others, which are looked at as everywhere."""
    edges = [_edge(position, edge, ids) for position, edge in enumerate(stated)]
    ends = [(f"{e.path}.target_entity_id", e.target_id) for e in edges]
    ends += [(f"{e.path}.source_entity_id", e.source_id) for e in edges]
    targets.refuse_unreadable(context, ends, known=ids)
    targets.refuse_joining(edges)
    for edge in edges:
        if edge.source_id not in ids:
            targets.source(context, edge.source_id, f"{edge.path}.source_entity_id")
    return edges


def _edge(position: int, edge: RelationshipIn, ids: list[str]) -> Edge:
    path = f"relationships.{position}"
    return Edge(
        relationship_type=edge.relationship_type,
        source_id=_end(path, "source", edge.source_index, edge.source_entity_id, ids),
        target_id=_end(path, "target", edge.target_index, edge.target_entity_id, ids),
        metadata=edge.metadata,
        path=path,
    )


def _end(path: str, side: str, index: int | None, entity_id: str | None, ids: list[str]) -> str:
    if (index is None) == (entity_id is None):
        raise InvalidInput.at(f"{path}.{side}_index", f"give either {side}_index or {side}_entity_id")
    if index is None:
        return str(entity_id)
    if not 0 <= index < len(ids):
        raise InvalidInput.at(f"{path}.{side}_index", f"the entities of this call are 0 to {len(ids) - 1}")
    return ids[index]


def _stored(item: Stored, *, committed: bool) -> StoredEntity:
    return StoredEntity(
        entity_id=item.entity.pk,
        entity_type=item.entity.entity_type,
        action=item.action if committed else WOULD.get(item.action, item.action),
        observation_id=f"obs_{item.observation_id}" if committed else None,
        warnings=warnings_of(item),
    )

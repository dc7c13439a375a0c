"""Store, read, delete and restore entities."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import NamedWarning, Page, PageParams, ReadParams, Shape, WriteParams
from neotoma.substrate import cursors, queries
from neotoma.substrate.drafts import Draft, Edge, Stored
from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.models import Entity
from neotoma.substrate.reading import iso, replay
from neotoma.substrate.schema import type_of

EntityId = Field(
    pattern=r"^ent_[0-9a-f]{24}$",
    description="Id of the entity, from store or a list.",
    examples=["ent_0123456789abcdef01234567"],
)
ENTITY_TYPE = r"^[a-z][a-z0-9_]{0,62}$"


class EntityIn(Shape):
    """Type and, flat beside it, fields."""

    model_config = ConfigDict(extra="allow", frozen=True)

    entity_type: str = Field(pattern=ENTITY_TYPE, description="Type.", examples=["task"])
    target_id: str | None = Field(None, description="Add to this entity.")

    @property
    def fields(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class RelationshipIn(Shape):
    """Ends by index in `entities` or by id."""

    relationship_type: str = Field(
        pattern=r"^[A-Z][A-Z_]{1,38}$", description="e.g. REFERS_TO.", examples=["REFERS_TO"]
    )
    source_index: int | None = Field(None, ge=0, description="Source here.")
    source_entity_id: str | None = Field(None, description="Stored source.")
    target_index: int | None = Field(None, ge=0, description="Target here.")
    target_entity_id: str | None = Field(None, description="Stored target.")
    metadata: dict[str, Any] = Field(default_factory=dict, description="About the edge.")


class StoreParams(WriteParams):
    entities: list[EntityIn] = Field(min_length=1, max_length=200, description="Entities to store, 1 to 200.")
    relationships: list[RelationshipIn] = Field(default_factory=list, max_length=500, description="Edges between them.")
    commit: bool = Field(True, description="false plans the call and writes nothing.")
    strict: bool = Field(False, description="true refuses undeclared fields.")
    source_priority: int = Field(100, ge=0, le=999, description="Weight.")
    observation_source: Literal["sensor", "workflow_state", "llm_summary", "human", "import", "sync"] = Field(
        "llm_summary", description="Where facts come from."
    )


class StoredEntity(Shape):
    entity_id: str = Field(description="Id of the entity.")
    entity_type: str = Field(description="Its type.")
    action: str = Field(description="created, updated, unchanged; with commit false what would happen.")
    observation_id: str | None = Field(None, description="Id of the stored fact.")
    warnings: list[NamedWarning] = Field(default_factory=list, description="What to know about this entity.")


class StoreResult(Shape):
    entities: list[StoredEntity] = Field(description="One for each entity given, in order.")
    relationships_created: list[str] = Field(default_factory=list, description="Ids of the edges.")
    unknown_fields: list[str] = Field(
        default_factory=list, description="Fields kept aside because the type does not declare them."
    )
    warnings: list[NamedWarning] = Field(default_factory=list, description="What to know about the call.")
    replayed: bool = Field(
        False, description="True when this is the saved answer of an earlier call with the same key."
    )


class EntityView(Shape):
    entity_id: str = Field(description="Id of the entity.")
    entity_type: str = Field(description="Its type.")
    name: str = Field("", description="A short human name.")
    snapshot: dict[str, Any] = Field(description="Its fields as they are now.")
    updated_at: str = Field(description="Time of the last change, UTC.")


class Filter(Shape):
    op: Literal["eq", "in", "gt", "lt", "gte", "lte", "contains"] = Field(description="Comparison.")
    value: Any = Field(description="What to compare with; a list for `in`.")


class RetrieveParams(PageParams):
    entity_type: str | None = Field(None, pattern=ENTITY_TYPE, description="Only this type.", examples=["task"])
    entity_types: list[str] | None = Field(None, max_length=20, description="Only these types.")
    search: str | None = Field(None, max_length=300, description="Words that the text must hold.")
    filters: dict[str, Filter] = Field(
        default_factory=dict, description='By field, e.g. {"status": {"op": "eq", "value": "open"}}.'
    )
    sort_by: Literal["updated_at", "created_at"] = Field("updated_at", description="Order of the list.")
    sort_order: Literal["asc", "desc"] = Field("desc", description="Newest first by default.")
    updated_since: datetime | None = Field(
        None, description="Only entities changed at or after this time, ISO 8601 with zone."
    )
    created_since: datetime | None = Field(
        None, description="Only entities made at or after this time, ISO 8601 with zone."
    )


class EntityList(Page):
    entities: list[EntityView] = Field(description="This page.")


class SnapshotParams(ReadParams):
    entity_id: str = EntityId
    at: datetime | None = Field(
        None, description="The snapshot from facts observed up to this time, ISO 8601 with zone."
    )


class Snapshot(Shape):
    entity_id: str = Field(description="Id of the entity; another one than asked for when it was merged.")
    entity_type: str = Field(description="Its type.")
    snapshot: dict[str, Any] = Field(description="Declared fields.")
    raw_fragments: dict[str, Any] = Field(default_factory=dict, description="Fields that the type does not declare.")
    provenance: dict[str, Any] | None = Field(
        None, description="By field: the observation and the actor that set it (detailed)."
    )
    observation_count: int = Field(description="How many facts there are.")
    deleted: bool = Field(False, description="True when it is deleted and can be restored.")


class DeleteParams(WriteParams):
    entity_id: str = EntityId
    reason: str | None = Field(None, max_length=500, description="Why, for the audit.")


class LifeResult(Shape):
    entity_id: str = Field(description="Id of the entity.")
    entity_type: str = Field(description="Its type.")
    action: str = Field(description="deleted, restored, or unchanged.")
    replayed: bool = Field(False, description="True for a repeat.")


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
    """Store entities and the relationships between them in one atomic call: all or nothing.

    For any record worth remembering; facts are added, never overwritten. Not for issues (submit_issue). Undo:
    delete_entity.
    """
    for position, item in enumerate(params.entities):
        targets.refuse_managed(item.entity_type, f"entities.{position}")
    drafts = [_draft(context, params, position, item) for position, item in enumerate(params.entities)]
    if not params.commit:
        return _plan(drafts)
    stored = context.write.put(drafts)
    ids = [item.entity.pk for item in stored]
    edges = [_edge(position, edge, ids) for position, edge in enumerate(params.relationships)]
    targets.refuse_unreadable(
        context, [(e.path, e.target_id) for e in edges] + [(e.path, e.source_id) for e in edges], known=ids
    )
    rows = context.write.link(edges)
    context.about(ids[0], entities=len(ids), relationships=len(rows))
    return StoreResult(
        entities=[_stored(item) for item in stored],
        relationships_created=[row.pk for row in rows],
        unknown_fields=sorted({name for item in stored for name in item.unknown_fields}),
        warnings=[w for item in stored for w in _unknown_warning(item)],
    )


@operation(
    "retrieve_entities",
    title="Find entities",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entities"),
    toolset="core",
)
def retrieve_entities(context: Context, params: RetrieveParams) -> EntityList:
    """Find entities by type, field filters and words, newest first, page by page.

    Sees only what your token may see. Use retrieve_entity_snapshot for one known id.
    """
    types = params.entity_types or ([params.entity_type] if params.entity_type else [])
    rows = queries.alive_of_types(Entity.objects.visible_to(context.audience), types)
    for name, item in params.filters.items():
        rows = queries.by_field(rows, types, name, item.op, item.value)
    rows = queries.since(rows, params.updated_since, params.created_since)
    if params.search:
        rows = queries.by_text(rows, types, params.search)
    total, capped = cursors.capped_total(rows)
    page, next_cursor = queries.page(rows, params.sort_by, params.sort_order, params.limit, params.cursor)
    return EntityList(entities=[view(row) for row in page], next_cursor=next_cursor, total=total, total_capped=capped)


@operation(
    "retrieve_entity_snapshot",
    title="Read an entity",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entities/{entity_id}"),
    toolset="core",
)
def retrieve_entity_snapshot(context: Context, params: SnapshotParams) -> Snapshot:
    """Read one entity as it is now, or as its facts stood at a time (`at`); `detailed` adds who said what."""
    entity = targets.readable(context, params.entity_id)
    kind = type_of(entity.entity_type)
    values, provenance = {**entity.raw_fragments, **entity.snapshot}, entity.provenance
    count, deleted = entity.observation_count, entity.deleted_at is not None
    if params.at is not None:
        state = replay(entity.pk, kind, targets.instant(params.at, "at"))
        values, provenance, count, deleted = state.values, state.provenance, state.count, state.deleted
    return Snapshot(
        entity_id=entity.pk,
        entity_type=entity.entity_type,
        snapshot={name: value for name, value in values.items() if kind.declares(name)},
        raw_fragments={name: value for name, value in values.items() if not kind.declares(name)},
        provenance=_provenance(provenance) if params.response_format == "detailed" else None,
        observation_count=count,
        deleted=deleted,
    )


@operation(
    "delete_entity",
    title="Delete an entity",
    effect="write",
    risk="mid",
    undo="restore_entity",
    restorable=True,
    scopes=("write", "report"),
    route=Route("DELETE", "entities/{entity_id}"),
    toolset="substrate",
)
def delete_entity(context: Context, params: DeleteParams) -> LifeResult:
    """Delete an entity from lists and searches; its facts stay. Reversible with restore_entity.

    Managed records have their own operations, e.g. withdraw_issue.
    """
    return _life(context, params, "deletion")


@operation(
    "restore_entity",
    title="Restore an entity",
    effect="write",
    risk="mid",
    undo="delete_entity",
    restorable=True,
    scopes=("write", "report"),
    route=Route("POST", "entities/{entity_id}/restore"),
    toolset="substrate",
)
def restore_entity(context: Context, params: DeleteParams) -> LifeResult:
    """Bring a deleted entity back with all its facts. Reversible with delete_entity."""
    return _life(context, params, "restoration")


def view(entity: Entity) -> EntityView:
    return EntityView(
        entity_id=entity.pk,
        entity_type=entity.entity_type,
        name=entity.name,
        snapshot=entity.snapshot,
        updated_at=iso(entity.updated_at),
    )


def _life(context: Context, params: DeleteParams, kind: Literal["deletion", "restoration"]) -> LifeResult:
    entity = targets.writable(context, params.entity_id)
    targets.refuse_managed(entity.entity_type, "entity_id")
    done = "deletion" if entity.deleted_at else "restoration"
    context.about(entity.pk, reason=params.reason or "")
    if kind == done:
        return LifeResult(entity_id=entity.pk, entity_type=entity.entity_type, action="unchanged")
    [stored] = context.write.put([Draft(entity.entity_type, entity_id=entity.pk, kind=kind)])
    return LifeResult(entity_id=entity.pk, entity_type=entity.entity_type, action=stored.action)


def _draft(context: Context, params: StoreParams, position: int, item: EntityIn) -> Draft:
    if item.target_id is not None:
        targets.writable(context, item.target_id, path=f"entities.{position}.target_id")
    path = f"entities.{position}"
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
        priority=params.source_priority,
        observation_source=params.observation_source,
        idempotency_key=params.idempotency_key or "",
        path=path,
    )


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
    if index >= len(ids):
        raise InvalidInput.at(f"{path}.{side}_index", f"there are only {len(ids)} entities in this call")
    return ids[index]


def _plan(drafts: list[Draft]) -> StoreResult:
    """What `put` would do, without a write."""
    planned = [StoredEntity(**queries.would(draft)) for draft in drafts]
    unknown = sorted({name for draft in drafts for name in type_of(draft.entity_type).undeclared(draft.fields)})
    return StoreResult(entities=planned, unknown_fields=unknown)


def _stored(item: Stored) -> StoredEntity:
    warnings = [
        NamedWarning(code=w.code, message=w.message, field=w.field or None, details=dict(w.details))
        for w in item.warnings
    ]
    return StoredEntity(
        entity_id=item.entity.pk,
        entity_type=item.entity.entity_type,
        action=item.action,
        observation_id=f"obs_{item.observation_id}",
        warnings=warnings,
    )


def _unknown_warning(item: Stored) -> list[NamedWarning]:
    return [
        NamedWarning(
            code="UNKNOWN_FIELD",
            message=f"{item.entity.entity_type} does not declare {name}; it is kept in raw_fragments.",
            field=name,
        )
        for name in item.unknown_fields
    ]


def _provenance(held: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {
            "observation_id": f"obs_{entry['observation']}",
            "actor": entry["actor"],
            "observed_at": entry["rank"][2],
            "correction": bool(entry["rank"][0]),
        }
        for name, entry in held.items()
    }

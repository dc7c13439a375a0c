"""State and take back relationships."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Shape, WriteParams
from neotoma.substrate.drafts import Edge
from neotoma.substrate.errors import NotFound
from neotoma.substrate.models import Relationship
from neotoma.substrate.models.relationships import relationship_id

TYPE = r"^[A-Z][A-Z_]{1,38}$"


class EdgeIn(Shape):
    relationship_type: str = Field(pattern=TYPE, description="e.g. REFERS_TO, PART_OF.", examples=["REFERS_TO"])
    source_entity_id: str = Field(description="Id of the entity that the edge leaves.", examples=["ent_..."])
    target_entity_id: str = Field(description="Id of the entity that the edge reaches.", examples=["ent_..."])
    metadata: dict[str, Any] = Field(default_factory=dict, description="Facts about the edge itself.")


class CreateRelationshipsParams(WriteParams):
    relationships: list[EdgeIn] = Field(min_length=1, max_length=200, description="Edges to state, 1 to 200.")


class RelationshipView(Shape):
    relationship_id: str = Field(description="Id of the edge.")
    relationship_type: str = Field(description="Its type.")
    source_entity_id: str = Field(description="Where it leaves.")
    target_entity_id: str = Field(description="Where it reaches.")
    metadata: dict[str, Any] = Field(default_factory=dict, description="Facts about the edge.")


class CreatedRelationships(Shape):
    relationships: list[RelationshipView] = Field(description="The edges, in the order given.")
    replayed: bool = Field(False, description="True for a repeat.")


class DeleteRelationshipParams(WriteParams):
    relationship_type: str = Field(pattern=TYPE, description="Type of the edge.", examples=["REFERS_TO"])
    source_entity_id: str = Field(description="Where it leaves.", examples=["ent_..."])
    target_entity_id: str = Field(description="Where it reaches.", examples=["ent_..."])


class DeletedRelationship(Shape):
    relationship_id: str = Field(description="Id of the edge.")
    deleted: bool = Field(description="True: it is no longer stated.")
    replayed: bool = Field(False, description="True for a repeat.")


@operation(
    "create_relationships",
    title="Relate entities",
    effect="write",
    risk="low",
    undo="delete_relationship",
    additive=True,
    scopes=("write", "report"),
    route=Route("POST", "relationships"),
    toolset="core",
    status=201,
)
def create_relationships(context: Context, params: CreateRelationshipsParams) -> CreatedRelationships:
    """State typed edges between stored entities, all or none. Repeating one changes nothing.

    Both ends must exist and be visible to you. Undo: delete_relationship.
    """
    edges = [_edge(position, edge) for position, edge in enumerate(params.relationships)]
    ends = [(f"{e.path}.target_entity_id", e.target_id) for e in edges]
    targets.refuse_unreadable(context, ends + [(f"{e.path}.source_entity_id", e.source_id) for e in edges])
    targets.refuse_joining(edges)
    for edge in edges:
        targets.source(context, edge.source_id, f"{edge.path}.source_entity_id")
    rows = context.write.link(edges)
    context.about(rows[0].source_id, relationships=len(rows))
    return CreatedRelationships(relationships=[view(row) for row in rows])


@operation(
    "delete_relationship",
    title="Take a relationship back",
    effect="write",
    risk="mid",
    undo="create_relationships",
    restorable=True,
    scopes=("write", "report"),
    route=Route("DELETE", "relationships"),
    toolset="substrate",
)
def delete_relationship(context: Context, params: DeleteRelationshipParams) -> DeletedRelationship:
    """Take an edge back; its history stays. Reversible: state it again with create_relationships."""
    source = targets.source(context, params.source_entity_id, "source_entity_id")
    edge_id = relationship_id(params.relationship_type, source.pk, params.target_entity_id)
    if not Relationship.objects.filter(pk=edge_id, deleted_at=None).exists():
        raise NotFound("There is no such relationship.", details={"relationship_id": edge_id})
    context.write.link(
        [Edge(params.relationship_type, source.pk, params.target_entity_id, kind="deletion", path="target_entity_id")]
    )
    context.about(source.pk, relationship=edge_id)
    return DeletedRelationship(relationship_id=edge_id, deleted=True)


def view(row: Relationship) -> RelationshipView:
    return RelationshipView(
        relationship_id=row.pk,
        relationship_type=row.relationship_type,
        source_entity_id=row.source_id,
        target_entity_id=row.target_id,
        metadata=row.metadata,
    )


def _edge(position: int, edge: EdgeIn) -> Edge:
    path = f"relationships.{position}"
    return Edge(edge.relationship_type, edge.source_entity_id, edge.target_entity_id, edge.metadata, path=path)

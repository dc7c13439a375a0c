"""State relationships."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.relationships.ends import link, settled
from neotoma.operations.relationships.shapes import RELATIONSHIP_TYPE, RelationshipView, view
from neotoma.operations.shapes import Shape, WriteParams
from neotoma.substrate.drafts import Edge


class EdgeIn(Shape):
    relationship_type: str = Field(
        pattern=RELATIONSHIP_TYPE, description="e.g. REFERS_TO, PART_OF.", examples=["REFERS_TO"]
    )
    source_entity_id: str = Field(description="Id of the entity that the edge leaves.", examples=["ent_..."])
    target_entity_id: str = Field(description="Id of the entity that the edge reaches.", examples=["ent_..."])
    metadata: dict[str, Any] = Field(default_factory=dict, description="Facts about the edge itself.")


class CreateRelationshipsParams(WriteParams):
    relationships: list[EdgeIn] = Field(min_length=1, max_length=200, description="Edges to state, 1 to 200.")


class CreatedRelationships(Shape):
    relationships: list[RelationshipView] = Field(description="The edges, in the order given, each once.")
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
    stated = [_edge(number, edge) for number, edge in enumerate(params.relationships)]
    rows = {row.pk: row for row in link(context, settled(context, stated))}
    context.about(next(iter(rows.values())).source_id, relationships=len(rows))
    return CreatedRelationships(relationships=[view(row) for row in rows.values()])


def _edge(number: int, edge: EdgeIn) -> Edge:
    path = f"relationships.{number}"
    return Edge(edge.relationship_type, edge.source_entity_id, edge.target_entity_id, edge.metadata, path=path)

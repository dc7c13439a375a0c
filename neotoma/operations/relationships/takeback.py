"""Take relationships back and state them again."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.reasons import Reason, redacted
from neotoma.operations.registry import Route, operation
from neotoma.operations.relationships.ends import link, settled
from neotoma.operations.relationships.shapes import RELATIONSHIP_TYPE
from neotoma.operations.shapes import Shape, WriteParams
from neotoma.substrate.drafts import Edge
from neotoma.substrate.edges import held_edge
from neotoma.substrate.errors import NotFound


class RelationshipParams(WriteParams):
    relationship_type: str = Field(pattern=RELATIONSHIP_TYPE, description="Type of the edge.", examples=["REFERS_TO"])
    source_entity_id: str = Field(description="Where it leaves.", examples=["ent_..."])
    target_entity_id: str = Field(description="Where it reaches.", examples=["ent_..."])
    reason: str | None = Reason


class RelationshipLife(Shape):
    relationship_id: str = Field(description="Id of the edge.")
    action: Literal["deleted", "restored", "unchanged"] = Field(description="What this call did.")
    deleted: bool = Field(description="True: it is no longer stated.")
    replayed: bool = Field(False, description="True for a repeat.")


@operation(
    "delete_relationship",
    title="Take a relationship back",
    effect="write",
    risk="mid",
    undo="restore_relationship",
    restorable=True,
    scopes=("write", "report"),
    route=Route("DELETE", "relationships"),
    toolset="substrate",
)
def delete_relationship(context: Context, params: RelationshipParams) -> RelationshipLife:
    """Take an edge back: lists and walks leave it out, its history stays. Reversible with restore_relationship."""
    return _live(context, params, "deletion")


@operation(
    "restore_relationship",
    title="Restore a relationship",
    effect="write",
    risk="mid",
    undo="delete_relationship",
    restorable=True,
    scopes=("write", "report"),
    route=Route("POST", "relationships/restore"),
    toolset="substrate",
)
def restore_relationship(context: Context, params: RelationshipParams) -> RelationshipLife:
    """State an edge again that was taken back, with the facts about it. Reversible with delete_relationship.

    For an edge that never was, use create_relationships.
    """
    return _live(context, params, "restoration")


def _live(context: Context, params: RelationshipParams, kind: Literal["deletion", "restoration"]) -> RelationshipLife:
    given = Edge(params.relationship_type, params.source_entity_id, params.target_entity_id, kind=kind, path="")
    [edge] = settled(context, [given])
    held = held_edge(edge)
    if held is None:
        ends = {"source_entity_id": edge.source_id, "target_entity_id": edge.target_id}
        raise NotFound("There is no such relationship.", details={"relationship_type": edge.relationship_type, **ends})
    context.about(edge.source_id, relationship=held.pk, reason=redacted(params.reason))
    deleted = kind == "deletion"
    if (held.deleted_at is not None) == deleted:
        return RelationshipLife(relationship_id=held.pk, action="unchanged", deleted=deleted)
    [row] = link(context, [edge])
    return RelationshipLife(relationship_id=row.pk, action="deleted" if deleted else "restored", deleted=deleted)

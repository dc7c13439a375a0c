"""What the operations on relationships have in common."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from neotoma.operations.shapes import Shape
from neotoma.substrate import graph
from neotoma.substrate.models import Relationship
from neotoma.substrate.reading import iso

RELATIONSHIP_TYPE = r"^[A-Z][A-Z_]{1,38}$"

Direction = Annotated[
    graph.Direction, Field(description="outbound leaves the entity, inbound reaches it.", examples=["outbound"])
]
RelationshipTypes = Annotated[
    list[str], Field(max_length=20, description="Only these types of edges.", examples=[["REFERS_TO"]])
]


class RelationshipView(Shape):
    relationship_id: str = Field(description="Id of the edge.")
    relationship_type: str = Field(description="Its type.")
    source_entity_id: str = Field(description="Where it leaves.")
    target_entity_id: str = Field(description="Where it reaches.")
    metadata: dict[str, Any] = Field(default_factory=dict, description="Facts about the edge.")
    created_at: str = Field(description="When it was first stated, UTC.")
    deleted: bool = Field(False, description="True when it was taken back.")


def view(row: Relationship) -> RelationshipView:
    return RelationshipView(
        relationship_id=row.pk,
        relationship_type=row.relationship_type,
        source_entity_id=row.source_id,
        target_entity_id=row.target_id,
        metadata=row.metadata,
        created_at=iso(row.created_at),
        deleted=row.deleted_at is not None,
    )

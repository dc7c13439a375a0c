"""List the relationships of an entity."""

from __future__ import annotations

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.shapes import EntityId
from neotoma.operations.registry import Route, operation
from neotoma.operations.relationships.shapes import RELATIONSHIP_TYPE, Direction, RelationshipView, view
from neotoma.operations.shapes import Page, PageParams
from neotoma.substrate import graph
from neotoma.substrate.cursors import TOTAL_CAP


class ListRelationshipsParams(PageParams):
    entity_id: str = EntityId
    direction: Direction = "both"
    relationship_type: str | None = Field(
        None, pattern=RELATIONSHIP_TYPE, description="Only this type.", examples=["REFERS_TO"]
    )


class RelationshipList(Page):
    relationships: list[RelationshipView] = Field(description="Newest first.")


@operation(
    "list_relationships",
    title="List relationships",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entities/{entity_id}/relationships"),
    toolset="substrate",
)
def list_relationships(context: Context, params: ListRelationshipsParams) -> RelationshipList:
    """List the edges of one entity, newest first: what it refers to, what it is part of, and what points at it.

    Leaves out edges that were taken back and other ends that are deleted or not yours to see. To read the entities at
    the other ends too, use retrieve_related_entities.
    """
    entity = targets.readable(context, params.entity_id)
    types = [params.relationship_type] if params.relationship_type else []
    paths = graph.Paths(context.audience, params.direction, types)
    page, next_cursor = graph.page(entity.pk, paths, params.limit, params.cursor)
    total = graph.count(entity.pk, paths)
    return RelationshipList(
        relationships=[view(row) for row in page],
        next_cursor=next_cursor,
        total=min(total, TOTAL_CAP),
        total_capped=total > TOTAL_CAP,
    )

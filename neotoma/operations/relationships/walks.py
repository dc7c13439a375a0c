"""Read what lies around an entity."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.shapes import EntityId
from neotoma.operations.registry import Route, operation
from neotoma.operations.relationships.shapes import Direction, RelationshipTypes, RelationshipView, view
from neotoma.operations.room import Room
from neotoma.operations.shapes import ReadParams, Shape
from neotoma.substrate import graph
from neotoma.substrate.models import Entity, Relationship
from neotoma.substrate.schema import type_of


class WalkParams(ReadParams):
    entity_id: str = EntityId
    relationship_types: RelationshipTypes = []
    entity_types: list[str] = Field(
        default_factory=list, max_length=20, description="Only entities of these types, also on the way."
    )
    direction: Direction = "both"


class RelatedParams(WalkParams):
    max_hops: int = Field(1, ge=1, le=5, description="Edges between the entity and the farthest one, 1 to 5.")
    budget: int = Field(20, ge=1, le=100, description="Entities at most, 1 to 100.", examples=[20])


class NeighbourhoodParams(WalkParams):
    max_hops: int = Field(2, ge=1, le=5, description="Edges between the entity and the farthest one, 1 to 5.")
    budget: int = Field(50, ge=1, le=100, description="Entities at most, 1 to 100.", examples=[50])


class Neighbour(Shape):
    entity_id: str = Field(description="Id of the entity.")
    entity_type: str = Field(description="Its type.")
    name: str = Field("", description="A short human name.")
    hops: int = Field(description="Edges between it and the entity asked for.")
    snapshot: dict[str, Any] | None = Field(
        None, description="Its fields; left out where they are not asked for or have no room."
    )


class Walked(Shape):
    entities: list[Neighbour] = Field(description="Nearest first.")
    relationships: list[RelationshipView] = Field(description="The edges between them that were followed.")
    truncated: bool = Field(
        description="True when there is more: raise the budget, name types, or start from one of the entities."
    )


@operation(
    "retrieve_related_entities",
    title="Read related entities",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entities/{entity_id}/related"),
    toolset="substrate",
)
def retrieve_related_entities(context: Context, params: RelatedParams) -> Walked:
    """Read the entities that an entity is related to, with their fields, nearest first.

    Follows edges of the types and in the direction that you name, through what you may see. For a map of what lies
    further around, use retrieve_graph_neighborhood.
    """
    root = targets.readable(context, params.entity_id)
    return _walked(context, root, params, params.max_hops, params.budget, shown=True, with_root=False)


@operation(
    "retrieve_graph_neighborhood",
    title="Map the neighbourhood",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entities/{entity_id}/neighborhood"),
    toolset="substrate",
)
def retrieve_graph_neighborhood(context: Context, params: NeighbourhoodParams) -> Walked:
    """Map what lies around an entity, itself included: ids, types, names and edges, breadth first within the budget.

    `detailed` adds the fields of the nearest ones. Never a dump: `truncated` says that there is more.
    """
    root = targets.readable(context, params.entity_id)
    shown = params.response_format == "detailed"
    return _walked(context, root, params, params.max_hops, params.budget, shown=shown, with_root=True)


def _walked(
    context: Context, root: Entity, params: WalkParams, hops: int, budget: int, *, shown: bool, with_root: bool
) -> Walked:
    paths = graph.Paths(
        context.audience, params.direction, params.relationship_types, params.entity_types, hops, budget
    )
    reached = graph.walk(root.pk, paths)
    entities = {root.pk: root, **Entity.objects.in_bulk([pk for pk in reached.hops if pk != root.pk])}
    edges = Relationship.objects.in_bulk(list(reached.edges))
    nodes = [_node(entities[pk], away) for pk, away in reached.hops.items() if with_root or pk != root.pk]
    room = Room()
    room.take(*nodes)
    followed = [edge for pk in reached.edges if room.takes(edge := view(edges[pk]))]
    if shown:
        nodes = [_with_fields(node, entities[node.entity_id], room) for node in nodes]
    truncated = reached.truncated or len(followed) < len(reached.edges)
    return Walked(entities=nodes, relationships=followed, truncated=truncated)


def _node(entity: Entity, hops: int) -> Neighbour:
    return Neighbour(entity_id=entity.pk, entity_type=entity.entity_type, name=entity.name, hops=hops)


def _with_fields(node: Neighbour, entity: Entity, room: Room) -> Neighbour:
    snapshot = type_of(entity.entity_type).shown({**entity.raw_fragments, **entity.snapshot})
    whole = node.model_copy(update={"snapshot": snapshot})
    return whole if room.takes(whole, instead_of=node) else node

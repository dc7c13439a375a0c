"""Describe one entity type."""

from __future__ import annotations

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import ReadParams
from neotoma.operations.types.shapes import TypeName, TypeView, view
from neotoma.substrate.schema import type_of


class DescribeTypeParams(ReadParams):
    entity_type: TypeName


@operation(
    "describe_entity_type",
    title="Describe an entity type",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entity_types/{entity_type}"),
    toolset="substrate",
)
def describe_entity_type(context: Context, params: DescribeTypeParams) -> TypeView:
    """Describe a type before you store it: its fields, what names an entity, which fields can be filtered by.

    A type that nobody defined takes every field; register_entity_type defines it.
    """
    return view(type_of(params.entity_type))

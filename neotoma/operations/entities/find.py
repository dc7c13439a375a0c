"""Find entities."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.entities.shapes import ENTITY_TYPE
from neotoma.operations.entities.views import Budget, EntityView, fitting
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Page, PageParams, Shape
from neotoma.substrate import cursors, queries, sorting
from neotoma.substrate.models import Entity


class Filter(Shape):
    op: Literal["eq", "in", "gt", "lt", "gte", "lte", "contains"] = Field(description="Comparison.")
    value: Any = Field(description="A list for `in`.")


class RetrieveParams(PageParams):
    entity_type: str | None = Field(None, pattern=ENTITY_TYPE, description="Only this type.", examples=["task"])
    entity_types: list[Annotated[str, Field(pattern=ENTITY_TYPE)]] | None = Field(
        None, max_length=20, description="These types."
    )
    search: str | None = Field(
        None, max_length=300, description="Words that the text must hold; a * at the end finds beginnings."
    )
    filters: dict[str, Filter] = Field(
        default_factory=dict, description='e.g. {"status": {"op": "eq", "value": "open"}}.'
    )
    sort_by: str = Field(
        "updated_at",
        min_length=1,
        max_length=200,
        description="updated_at, created_at, or a field of the one entity_type.",
    )
    sort_order: Literal["asc", "desc"] = Field("desc", description="desc: newest, greatest first.")
    updated_since: datetime | None = Field(None, description="Changed at or after, ISO 8601 with zone.")
    created_since: datetime | None = Field(None, description="Made at or after.")
    budget: int = Budget


class EntityList(Page):
    entities: list[EntityView] = Field(description="This page.")


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
    """Find entities by type, field filters and words, in order, page by page.

    Sees only what your token may see. Use retrieve_entity_snapshot for one known id, retrieve_many for many.
    """
    types = params.entity_types or ([params.entity_type] if params.entity_type else [])
    rows = queries.alive_of_types(Entity.objects.visible_to(context.audience), types)
    for name, item in params.filters.items():
        rows = queries.by_field(rows, types, name, item.op, item.value)
    rows = queries.since(rows, params.updated_since, params.created_since)
    if params.search:
        rows = queries.by_text(rows, types, params.search, context.audience)
    total, capped = cursors.capped_total(rows)
    found, more = sorting.page(rows, types, params.sort_by, params.sort_order, params.limit, params.cursor)
    detailed = params.response_format == "detailed"
    shown = fitting([one.entity for one in found], params.budget, detailed=detailed)
    more = more or len(shown) < len(found)
    return EntityList(
        entities=shown,
        next_cursor=found[len(shown) - 1].cursor if more else None,
        total=total,
        total_capped=capped,
    )

"""List entity types."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection
from django.db.models.expressions import RawSQL
from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Page, PageParams, Shape
from neotoma.operations.types.shapes import Origin, origin_of
from neotoma.substrate.actors import Audience
from neotoma.substrate.cursors import TOTAL_CAP, decode_cursor, encode_cursor
from neotoma.substrate.models import Entity
from neotoma.substrate.schema import EntityType, declared_types, defined_types, open_type

_IN_USE = """
WITH RECURSIVE names(name) AS (
    SELECT min(entity_type) FROM substrate_entity
    UNION ALL
    SELECT (SELECT min(entity_type) FROM substrate_entity WHERE entity_type > names.name) FROM names
    WHERE names.name IS NOT NULL
)
SELECT name FROM names WHERE name IS NOT NULL AND EXISTS ({seen})
"""
"""Every type that some entity has, by a step of an index each instead of a look at every entity."""


class ListTypesParams(PageParams):
    keyword: str = Field("", max_length=100, description="Part of a name or description.", examples=["task"])


class TypeLine(Shape):
    entity_type: str = Field(description="Name of the type.")
    description: str = Field("", description="What its entities are.")
    origin: Origin = Field(description="built_in, defined here, or undefined: then every field is taken as it comes.")
    managed: bool = Field(False, description="True: only its own operations write it.")


class TypeList(Page):
    entity_types: list[TypeLine] = Field(description="In the order of names.")


@operation(
    "list_entity_types",
    title="List entity types",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "entity_types"),
    toolset="substrate",
)
def list_entity_types(context: Context, params: ListTypesParams) -> TypeList:
    """List the types of entities that there are: built in, defined here, or merely in use.

    Store under one of these rather than under a new word for the same thing. Fields: describe_entity_type.
    """
    known: dict[str, EntityType] = {**declared_types(), **defined_types()}
    kinds = known | {name: open_type(name) for name in _in_use(context.audience, known)}
    word = params.keyword.casefold()
    found = [kinds[name] for name in sorted(kinds) if word in f"{name} {kinds[name].description}".casefold()]
    after = decode_cursor(params.cursor, str)[0] if params.cursor else ""
    rest = [kind for kind in found if kind.name > after]
    page = rest[: params.limit]
    return TypeList(
        entity_types=[_line(kind) for kind in page],
        next_cursor=encode_cursor(page[-1].name) if len(rest) > len(page) else None,
        total=min(len(found), TOTAL_CAP),
        total_capped=len(found) > TOTAL_CAP,
    )


def _in_use(audience: Audience, known: Iterable[str]) -> set[str]:
    """Types that are not known otherwise, of entities that the audience sees; of its own, where it sees few others."""
    seen = Entity.objects.visible_to(audience)
    if not audience.internal:
        return set(seen.filter(owner=audience.owner).values_list("entity_type", flat=True)).difference(known)
    sql, values = seen.filter(entity_type=RawSQL('"names"."name"', [])).values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_IN_USE.format(seen=sql), values)
        return {row[0] for row in cursor.fetchall()}.difference(known)


def _line(kind: EntityType) -> TypeLine:
    return TypeLine(
        entity_type=kind.name,
        description=kind.description,
        origin=origin_of(kind),
        managed=bool(kind.managed_by),
    )

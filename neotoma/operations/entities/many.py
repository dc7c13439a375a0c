"""Read many entities by id."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.views import Budget, EntityView, view
from neotoma.operations.registry import Route, operation
from neotoma.operations.room import Room
from neotoma.operations.shapes import ReadParams, Shape


class ManyParams(ReadParams):
    entity_ids: list[Annotated[str, Field(pattern=r"^ent_[0-9a-f]{24}$")]] = Field(
        min_length=1, max_length=100, description="1 to 100 ids.", examples=[["ent_0123456789abcdef01234567"]]
    )
    budget: int = Budget


class FoundEntity(EntityView):
    requested_id: str | None = Field(None, description="The id that was asked for, where it was merged into this one.")


class Many(Shape):
    entities: list[FoundEntity] = Field(description="In the order of the ids that were asked for.")
    missing: list[str] = Field(default_factory=list, description="Ids of nothing that you can see.")
    left_out: list[str] = Field(default_factory=list, description="Ids beyond the budget: ask for them again.")


@operation(
    "retrieve_many",
    title="Read many entities",
    effect="read",
    risk="low",
    scopes=("read", "report", "review"),
    route=Route("GET", "snapshots"),
    toolset="substrate",
)
def retrieve_many(context: Context, params: ManyParams) -> Many:
    """Read up to 100 entities by id in one call, in the order asked for; ids of nothing you can see come as missing."""
    held = targets.readable_many(context, params.entity_ids)
    detailed, room = params.response_format == "detailed", Room(params.budget)
    found: list[FoundEntity] = []
    left_out: list[str] = []
    for entity_id in params.entity_ids:
        entity = held.get(entity_id)
        if entity is None:
            continue
        asked = entity_id if entity_id != entity.pk else None
        one = FoundEntity(**dict(view(entity, detailed=detailed)), requested_id=asked)
        if room.takes(one) or not found:
            found.append(one)
        else:
            left_out.append(entity_id)
    missing = [entity_id for entity_id in dict.fromkeys(params.entity_ids) if entity_id not in held]
    return Many(entities=found, missing=missing, left_out=left_out)

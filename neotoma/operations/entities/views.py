"""How entities are shown in lists, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from neotoma.operations.room import Room
from neotoma.operations.shapes import Shape
from neotoma.substrate.models import Entity
from neotoma.substrate.reading import iso
from neotoma.substrate.schema import type_of

Budget = Field(
    80_000,
    ge=1_000,
    le=400_000,
    description="Characters of the answer at most.",
)


class EntityView(Shape):
    entity_id: str = Field(description="Id of the entity.")
    entity_type: str = Field(description="Its type.")
    name: str = Field("", description="A short human name.")
    snapshot: dict[str, Any] = Field(description="Its fields as they are now.")
    raw_fragments: dict[str, Any] | None = Field(None, description="Fields that its type does not declare (detailed).")
    created_at: str | None = Field(None, description="When it was first stored, UTC (detailed).")
    updated_at: str = Field(description="Time of the last change, UTC.")


def view(entity: Entity, *, detailed: bool = False) -> EntityView:
    kind, values = type_of(entity.entity_type), {**entity.raw_fragments, **entity.snapshot}
    return EntityView(
        entity_id=entity.pk,
        entity_type=entity.entity_type,
        name=entity.name,
        snapshot=kind.shown(values),
        raw_fragments=kind.aside(values) if detailed else None,
        created_at=iso(entity.created_at) if detailed else None,
        updated_at=iso(entity.updated_at),
    )


def fitting(entities: Sequence[Entity], budget: int, *, detailed: bool) -> list[EntityView]:
    """The first of them, as many as fit; the very first in any case, so that a reader gets on."""
    room = Room(budget)
    shown: list[EntityView] = []
    for entity in entities:
        one = view(entity, detailed=detailed)
        if not room.takes(one) and shown:
            break
        shown.append(one)
    return shown

"""Add to the definition of an entity type."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import WriteParams
from neotoma.operations.types.changes import Incompatible, change, defined, held, unchanged
from neotoma.operations.types.shapes import ChangedType, FieldIn, TypeName
from neotoma.substrate.definition import FieldDefinition, TypeDefinition
from neotoma.substrate.errors import NotFound


class ExtendTypeParams(WriteParams):
    entity_type: TypeName
    fields: list[FieldIn] = Field(
        default_factory=list,
        max_length=200,
        description="Fields to add; one that is there may become indexed or get another description.",
    )
    description: str | None = Field(None, min_length=1, max_length=500, description="What its entities are.")
    strict: bool | None = Field(None, description="Whether fields that are not defined are refused from now on.")


@operation(
    "extend_entity_type",
    title="Extend an entity type",
    effect="write",
    risk="mid",
    undo="revert_entity_type",
    restorable=True,
    scopes=("operate",),
    route=Route("POST", "entity_types/{entity_type}/extend"),
    toolset="substrate",
)
def extend_entity_type(context: Context, params: ExtendTypeParams) -> ChangedType:
    """Add fields to a defined type, or have fields indexed. In force everywhere at once.

    What is stored under these names moves from raw_fragments into the snapshots. Changing the type or reducer of a
    field is refused. Undo: revert_entity_type to the version before.
    """
    before = held(params.entity_type)
    if before is None:
        raise NotFound(
            f"{params.entity_type} is not defined.",
            hint="Define it with register_entity_type.",
            details={"entity_type": params.entity_type},
        )
    added = defined(params.fields)
    _refuse_conflicts(before, added)
    fields = {**before.fields, **{name: _joined(before.fields.get(name), one) for name, one in added.items()}}
    changes: dict[str, Any] = {"fields": fields}
    changes |= {name: value for name in ("description", "strict") if (value := getattr(params, name)) is not None}
    after = before.model_copy(update=changes)
    return unchanged(context, after.name) if after == before else change(context, "extended", before, after)


def _refuse_conflicts(before: TypeDefinition, added: dict[str, FieldDefinition]) -> None:
    conflicts = [
        {"field": name, "attribute": attribute, "is": getattr(before.fields[name], attribute), "asked": asked}
        for name, one in added.items()
        if name in before.fields
        for attribute in ("type", "reducer")
        if (asked := getattr(one, attribute)) != getattr(before.fields[name], attribute)
    ]
    if conflicts:
        first = conflicts[0]
        raise Incompatible(
            f"The {first['attribute']} of {first['field']} is {first['is']}, not {first['asked']}.",
            details={"entity_type": before.name, "conflicts": conflicts},
        )


def _joined(held: FieldDefinition | None, added: FieldDefinition) -> FieldDefinition:
    if held is None:
        return added
    told = {"description": added.description or held.description, "indexed": held.indexed or added.indexed}
    return held.model_copy(update=told)

"""Define an entity type."""

from __future__ import annotations

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import NamedWarning, WriteParams
from neotoma.operations.types.changes import Incompatible, change, defined, held, unchanged
from neotoma.operations.types.shapes import ChangedType, FieldIn, TypeName
from neotoma.substrate.definition import TypeDefinition
from neotoma.substrate.models import Entity


class RegisterTypeParams(WriteParams):
    entity_type: TypeName
    description: str = Field(min_length=1, max_length=500, description="What its entities are.")
    fields: list[FieldIn] = Field(min_length=1, max_length=200, description="Its fields.")
    identity: list[list[str]] | None = Field(
        None,
        max_length=10,
        description="What names an entity: lists of fields, the first given whole counts. Left out:"
        " name, title and the like. Empty: nothing does.",
        examples=[[["email"], ["name", "company"]]],
    )
    strict: bool = Field(False, description="true refuses fields that are not defined.")


@operation(
    "register_entity_type",
    title="Define an entity type",
    effect="write",
    risk="mid",
    undo="revert_entity_type",
    restorable=True,
    scopes=("operate",),
    route=Route("POST", "entity_types"),
    toolset="substrate",
    status=201,
)
def register_entity_type(context: Context, params: RegisterTypeParams) -> ChangedType:
    """Define a type of entities: fields with their types and reducers, what names one, what is indexed.

    In force everywhere at once. Entities that are stored already follow: what the definition knows is in their
    snapshot, the rest stays readable in raw_fragments. Undo: revert_entity_type to version 0.
    """
    before = held(params.entity_type)
    after = TypeDefinition(
        name=params.entity_type,
        description=params.description,
        fields=defined(params.fields),
        identity=params.identity,
        strict=params.strict,
    )
    if before is None:
        used = Entity.objects.filter(entity_type=params.entity_type).exists()
        answer = change(context, "registered", before, after)
        named = [_renamed()] if used and params.identity is not None else []
        return answer.model_copy(update={"warnings": [*answer.warnings, *named]})
    if before == after.model_copy(update={"version": before.version}):
        return unchanged(context, params.entity_type)
    raise Incompatible(
        f"{params.entity_type} is defined differently already, in version {before.version}.",
        hint="Add fields with extend_entity_type, or go back with revert_entity_type first.",
        details={"entity_type": params.entity_type, "version": before.version},
    )


def _renamed() -> NamedWarning:
    return NamedWarning(
        code="IDENTITY_CHANGED",
        message="Entities stored before keep their ids; storing the same thing again makes another one unless you name"
        " it by target_id.",
    )

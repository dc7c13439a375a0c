"""What the operations on entity types have in common."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from neotoma.operations.entities.shapes import ENTITY_TYPE
from neotoma.operations.shapes import NamedWarning, Shape
from neotoma.substrate.definition import FIELD_NAME, DefinedType, FieldDefinition
from neotoma.substrate.models import Backfill
from neotoma.substrate.schema import EntityType, declared_types

TypeName = Annotated[str, Field(pattern=ENTITY_TYPE, description="Name of the type.", examples=["task"])]
Origin = Literal["built_in", "defined", "undefined"]


class FieldIn(FieldDefinition):
    """A field and its name."""

    name: str = Field(pattern=FIELD_NAME, description="Name of the field.", examples=["due_date"])

    @property
    def definition(self) -> FieldDefinition:
        return FieldDefinition(**self.model_dump(exclude={"name"}))


class TypeView(Shape):
    entity_type: str = Field(description="Name of the type.")
    description: str = Field("", description="What its entities are.")
    origin: Origin = Field(description="built_in, defined here, or undefined: then every field is taken as it comes.")
    version: int | None = Field(None, description="Of the definition; each change raises it.")
    managed_by: list[str] = Field(default_factory=list, description="Operations that alone write it.")
    strict: bool = Field(False, description="True: fields that it does not define are refused.")
    identity: list[list[str]] = Field(
        default_factory=list, description="What names an entity: the first of these that is given whole."
    )
    fields: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="By name: type, description, reducer, indexed."
    )
    unready: list[str] = Field(
        default_factory=list, description="Indexed fields whose index is still being filled from older entities."
    )
    catching_up: bool = Field(False, description="True while older entities are brought in line with the definition.")


class ChangedType(TypeView):
    action: Literal["registered", "extended", "reverted", "unchanged"] = Field(description="What this call did.")
    brought_in_line: int | None = Field(
        None, description="Stored entities that the change concerned; absent when they follow in the background."
    )
    warnings: list[NamedWarning] = Field(default_factory=list, description="What to know about it.")
    replayed: bool = Field(False, description="True for a repeat.")


def origin_of(kind: EntityType) -> Origin:
    if kind.name in declared_types():
        return "built_in"
    return "defined" if isinstance(kind, DefinedType) else "undefined"


def view(kind: EntityType) -> TypeView:
    defined = isinstance(kind, DefinedType)
    return TypeView(
        entity_type=kind.name,
        description=kind.description,
        origin=origin_of(kind),
        version=kind.definition.version if isinstance(kind, DefinedType) else None,
        managed_by=list(kind.managed_by),
        strict=kind.strict,
        identity=[list(rule) for rule in kind.identity],
        fields=_fields(kind),
        unready=sorted(kind.indexed - kind.filterable),
        catching_up=defined and Backfill.objects.filter(entity_type=kind.name).exists(),
    )


def _fields(kind: EntityType) -> dict[str, dict[str, Any]]:
    """Fields that nobody is shown are not described either."""
    return {
        name: {
            "type": kind.kind_of(name),
            "description": description,
            "reducer": kind.reducers.get(name, "last_write"),
            "indexed": name in kind.indexed,
        }
        for name, description in kind.described().items()
        if name not in kind.hidden
    }

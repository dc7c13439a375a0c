"""What every change of an entity type does: a fact about the type, and entities that follow it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from neotoma.operations.context import Context
from neotoma.operations.entities.storing import EntityIn
from neotoma.operations.shapes import NamedWarning
from neotoma.operations.types.shapes import ChangedType, FieldIn, view
from neotoma.substrate import backfill, catalogue
from neotoma.substrate.definition import DefinedType, FieldDefinition, TypeDefinition
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import Conflict, InvalidInput
from neotoma.substrate.models import Entity
from neotoma.substrate.schema import declared_types, type_of

Action = Literal["registered", "extended", "reverted", "unchanged"]
UNSORTED = ("array", "object")
"""Kinds that have no order, so no index."""


class BuiltIn(Conflict):
    """Types that the code declares are changed by nobody at run time."""

    error_code: ClassVar[str] = "ENTITY_TYPE_BUILT_IN"
    hint = "Choose another name."


class Incompatible(Conflict):
    """The change would give stored facts another meaning; `details.conflicts` names each."""

    error_code: ClassVar[str] = "ENTITY_TYPE_INCOMPATIBLE"
    hint = "Use another field name, or revert_entity_type and register it anew."


def held(name: str) -> TypeDefinition | None:
    """The definition as it is, locked until the transaction ends; None for a type that has none.

    Refuses built-in types. Call it first: whoever stores by the type meanwhile waits.
    """
    if name in declared_types():
        raise BuiltIn(f"{name} is built in and cannot be defined anew.", details={"entity_type": name})
    catalogue.lock_for_change()
    kind = type_of(name)
    return kind.definition if isinstance(kind, DefinedType) else None


def defined(fields: list[FieldIn]) -> dict[str, FieldDefinition]:
    """By name; refuses a name that is there twice, or that means something else in a call of `store`."""
    found: dict[str, FieldDefinition] = {}
    for number, one in enumerate(fields):
        if one.name in found:
            raise InvalidInput.at(f"fields.{number}.name", f"{one.name} is there twice")
        if one.name in EntityIn.model_fields:
            raise InvalidInput.at(f"fields.{number}.name", f"{one.name} has a meaning of its own in store")
        found[one.name] = one.definition
    return found


def change(context: Context, action: Action, before: TypeDefinition | None, after: TypeDefinition) -> ChangedType:
    """Store the definition as the next version and bring what is stored in line with it."""
    for path, problem in _flaws(after):
        raise InvalidInput.at(path, problem)
    version = catalogue.last_version(after.name) + 1
    fields = after.model_copy(update={"version": version}).model_dump(mode="json")
    entity = catalogue.entity_of(after.name)
    drafts = [Draft(catalogue.DEFINITION.name, fields)]
    if entity is not None and entity.deleted_at is not None:
        drafts.insert(0, Draft(catalogue.DEFINITION.name, entity_id=entity.pk, kind="restoration"))
    stored = context.write.put(drafts)
    return settled(context, action, after.name, stored[-1].entity, before)


def settled(
    context: Context, action: Action, name: str, definition: Entity, before: TypeDefinition | None
) -> ChangedType:
    """Tell every process, have the entities follow, and answer."""
    catalogue.announce()
    count = backfill.bring_in_line(name, before, context.now)
    now = view(type_of(name))
    context.about(definition.pk, entity_type=name, version=now.version, brought_in_line=count)
    warnings = _left_aside(name) if count else []
    return ChangedType(**now.model_dump(), action=action, brought_in_line=count, warnings=warnings)


def unchanged(context: Context, name: str) -> ChangedType:
    context.about("", entity_type=name)
    return ChangedType(**view(type_of(name)).model_dump(), action="unchanged", brought_in_line=0)


def _flaws(definition: TypeDefinition) -> Iterator[tuple[str, str]]:
    for name, one in definition.fields.items():
        if one.reducer == "merge_array" and one.type != "array":
            yield f"fields.{name}.reducer", "merge_array adds up lists, so the type has to be array"
        if one.indexed and one.type in UNSORTED:
            yield f"fields.{name}.indexed", f"an {one.type} has no order to be filtered and sorted by"
    for number, rule in enumerate(definition.identity or []):
        missing = [name for name in rule if name not in definition.fields]
        if missing or not rule:
            yield f"identity.{number}", f"names no field that is defined: {', '.join(missing)}"


def _left_aside(name: str) -> list[NamedWarning]:
    """Older values that are not of the kind defined; nothing is lost, and a correction brings them in."""
    fields = sorted(type_of(name).described())
    if not fields:
        return []
    rows = Entity.objects.filter(entity_type=name, raw_fragments__has_any_keys=fields)
    kept = {field for fragments in rows.values_list("raw_fragments", flat=True) for field in fragments}
    return [
        NamedWarning(
            code="VALUES_LEFT_ASIDE",
            message=f"Some stored values of {field} are of another kind; they stay in raw_fragments.",
            field=field,
        )
        for field in fields
        if field in kept
    ]

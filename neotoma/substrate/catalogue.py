"""The entity types that are defined as data, as this process knows them: read again whenever one was changed, by whom
ever. A definition is an entity itself, of the type `entity_type`, so that its versions are facts like all others.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from pydantic import BaseModel

from neotoma.substrate.definition import DefinedType, FieldDefinition, TypeDefinition, made_from
from neotoma.substrate.drafts import INSTANCE
from neotoma.substrate.identity import canonical_key, entity_id
from neotoma.substrate.models import Backfill, Entity, Observation, TypeCatalogue
from neotoma.substrate.schema import EntityType, register_type

LOCK = 7_203_042
"""Key of the advisory lock that keeps a type as it is while facts are stored by it."""
ROW = 1
"""Key of the catalogue's one row."""


class DefinitionFields(BaseModel):
    name: str
    description: str
    fields: dict[str, FieldDefinition]
    identity: list[list[str]] | None = None
    strict: bool = False
    version: int = 1


DEFINITION = register_type(
    EntityType(
        name="entity_type",
        description="A type of entities: its fields, what names them, how facts about them are reduced.",
        model=DefinitionFields,
        identity=(("name",),),
        managed_by=("register_entity_type", "extend_entity_type", "revert_entity_type"),
        searchable=("name", "description"),
    )
)


@dataclass(slots=True)
class _Scope:
    """`locked`: types stay as they are until the running transaction ends."""

    locked: bool
    types: Mapping[str, DefinedType] | None = None


@dataclass(frozen=True, slots=True)
class _Known:
    revision: int | None = None
    types: Mapping[str, DefinedType] = field(default_factory=dict)


_scope: ContextVar[_Scope | None] = ContextVar("types_scope", default=None)
_known = _Known()


@contextmanager
def looked_up_once(*, locked: bool = False) -> Iterator[None]:
    """Within it, types are the same from the first look on; `locked`, for a transaction that writes, everywhere."""
    token = _scope.set(_Scope(locked))
    try:
        yield
    finally:
        _scope.reset(token)


def types() -> Mapping[str, DefinedType]:
    """By name. One small query, or none within `looked_up_once`."""
    scope = _scope.get()
    if scope is None:
        return _current(locked=False)
    if scope.types is None:
        scope.types = _current(locked=scope.locked)
    return scope.types


def lock_for_change() -> None:
    """Wait until nobody stores facts by the types as they are, and keep others from it until the transaction ends."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    _forget()


def announce() -> None:
    """Have every process read the types again, once the transaction has committed."""
    TypeCatalogue.objects.update_or_create(pk=ROW, defaults={"revision": secrets.randbits(62)})
    _forget()


def _forget() -> None:
    scope = _scope.get()
    if scope is not None:
        scope.types = None


def _current(*, locked: bool) -> Mapping[str, DefinedType]:
    global _known
    known, revision = _known, _revision(locked=locked)
    if revision is None or revision != known.revision:
        known = _known = _Known(revision, _read())
    return known.types


def _revision(*, locked: bool) -> int | None:
    with connection.cursor() as cursor:
        if locked and connection.vendor == "postgresql":
            # Two statements in one go: what the second one sees must not be older than the lock.
            cursor.execute(f"SELECT pg_advisory_xact_lock_shared({LOCK}); {_REVISION}")
            cursor.nextset()
        else:
            cursor.execute(_REVISION)
        row = cursor.fetchone()
    return row[0] if row else None


_REVISION = f"SELECT revision FROM substrate_typecatalogue WHERE id = {ROW}"  # noqa: S608  a constant


def _read() -> dict[str, DefinedType]:
    unready: dict[str, frozenset[str]] = {}
    for name, fields in Backfill.objects.values_list("entity_type", "unready"):
        unready[name] = unready.get(name, frozenset()) | frozenset(fields)
    held = Entity.objects.alive().filter(entity_type=DEFINITION.name).values_list("snapshot", flat=True)
    definitions = [definition_of(snapshot) for snapshot in held if snapshot]
    return {one.name: made_from(one, unready.get(one.name, frozenset())) for one in definitions}


def definition_of(snapshot: Mapping[str, Any]) -> TypeDefinition:
    return TypeDefinition.model_validate(dict(snapshot))


def entity_of(name: str) -> Entity | None:
    """The entity whose facts are the versions of a definition, deleted or not."""
    key = canonical_key({"name": name}, DEFINITION.identity)
    return Entity.objects.filter(pk=entity_id(INSTANCE, DEFINITION.name, key)).first()


def last_version(name: str) -> int:
    """0 for a type that never had a definition."""
    entity = entity_of(name)
    return entity.snapshot["version"] if entity else 0


def version_of(name: str, version: int) -> TypeDefinition | None:
    """An earlier definition."""
    entity = entity_of(name)
    facts = Observation.objects.filter(entity=entity, kind="store", fields__version=version) if entity else None
    fact = facts.first() if facts is not None else None
    return definition_of(fact.fields) if fact is not None else None

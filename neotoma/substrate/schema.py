"""Entity types: what a type declares about its fields, and the registry of the declared ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.fields import FieldInfo

from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.identity import default_identity
from neotoma.substrate.reducer import Strategy

if TYPE_CHECKING:
    from neotoma.substrate.models import Entity


class Projection(Protocol):
    """Writes the typed table of an entity type from reduced snapshots, in the store's transaction."""

    def __call__(self, entities: Sequence[Entity]) -> None: ...


@dataclass(frozen=True)
class EntityType:
    """One declared type.

    `model`: pydantic model of its fields, or None for a type whose fields are taken as they come.
    `identity`: composites of field names in order of precedence; empty means that each store makes a new entity.
    `managed_by`: operations that write this type; generic writes are refused and name them.
    `indexed`: fields kept in the indexed side table. `searchable`: fields whose text is found; None means all.
    `strict`: undeclared fields are refused instead of kept aside.
    `hidden`: fields that only the type's own operations show; events leave them out, and so does `shown`.
    """

    name: str
    description: str
    model: type[BaseModel] | None = None
    identity: tuple[tuple[str, ...], ...] = ()
    managed_by: tuple[str, ...] = ()
    indexed: frozenset[str] = frozenset()
    searchable: tuple[str, ...] | None = None
    reducers: Mapping[str, Strategy] = field(default_factory=dict)
    strict: bool = False
    hidden: frozenset[str] = frozenset()
    projection: Projection | None = None

    @cached_property
    def partial(self) -> type[BaseModel] | None:
        """The model with every field optional and nullable: one observation carries any part of a snapshot."""
        if self.model is None:
            return None
        fields: Any = {
            name: (Optional[info.annotation], _optional(info))  # noqa: UP045  the annotation is a value, not a type
            for name, info in self.model.model_fields.items()
        }
        return create_model(f"{self.model.__name__}Part", __config__=ConfigDict(extra="ignore"), **fields)

    @property
    def filterable(self) -> frozenset[str]:
        """Fields whose index holds every entity of the type."""
        return self.indexed

    def declares(self, name: str) -> bool:
        return self.model is None or name in self.model.model_fields

    def described(self) -> dict[str, str]:
        """What each declared field means."""
        fields = self.model.model_fields if self.model else {}
        return {name: info.description or "" for name, info in fields.items()}

    def kind_of(self, name: str) -> str:
        """The JSON type of a declared field, `object` where it is one of several."""
        properties = self.model.model_json_schema().get("properties", {}) if self.model else {}
        parts = properties.get(name, {}).get("anyOf", [properties.get(name, {})])
        kinds = {part.get("type", "object") for part in parts} - {"null"}
        return str(kinds.pop()) if len(kinds) == 1 else "object"

    def holds(self, name: str, value: Any) -> bool:
        """Whether a value belongs into the snapshot; what does not is kept aside."""
        return self.declares(name)

    def comparable(self, name: str, value: Any) -> Any:
        """What a value of this field is compared and sorted as."""
        return value

    def shown(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The declared fields that any reader of the entity may have."""
        return {name: value for name, value in fields.items() if self.holds(name, value) and name not in self.hidden}

    def aside(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The others, which the same readers may have too."""
        return {name: value for name, value in fields.items() if not self.holds(name, value)}

    def undeclared(self, fields: Mapping[str, Any]) -> list[str]:
        return [name for name in fields if not self.declares(name)]

    def validate(self, fields: Mapping[str, Any], path: str = "fields") -> dict[str, Any]:
        """The same fields in JSON form, checked one by one; refuses wrong types by path."""
        if self.partial is None:
            return dict(fields)
        whole = {name: value for name, value in fields.items() if not is_array_change(self, name, value)}
        try:
            checked = self.partial.model_validate(whole).model_dump(mode="json", include=set(whole))
        except ValidationError as error:
            problems = [{"path": ".".join((path, *map(str, e["loc"]))), "problem": e["msg"]} for e in error.errors()]
            raise InvalidInput(
                f"{problems[0]['path']}: {problems[0]['problem']}", details={"fields": problems, "type": self.name}
            ) from None
        return {name: checked.get(name, value) for name, value in fields.items()}


_TYPES: dict[str, EntityType] = {}


def register_type(entity_type: EntityType) -> EntityType:
    """Declare a type at start-up; a second declaration of the same name is a programming error."""
    if entity_type.name in _TYPES and _TYPES[entity_type.name] is not entity_type:
        raise ValueError(f"entity type {entity_type.name} is declared twice")
    _TYPES[entity_type.name] = entity_type
    return entity_type


def type_of(name: str) -> EntityType:
    """The declared type, or an open one that takes every field and is recognised by its naming fields."""
    return _TYPES.get(name) or defined_types().get(name) or open_type(name)


def open_type(name: str) -> EntityType:
    return EntityType(name=name, description="", identity=default_identity())


def declared_types() -> dict[str, EntityType]:
    """Those that are built in."""
    return dict(sorted(_TYPES.items()))


def defined_types() -> Mapping[str, EntityType]:
    """Those that are defined as data; what another process defined a moment ago is among them."""
    from neotoma.substrate import catalogue

    return catalogue.types()


def _optional(info: FieldInfo) -> FieldInfo:
    """The same constraints and description, but absent by default."""
    part = copy(info)
    part.default, part.default_factory = None, None
    return part


def is_array_change(entity_type: EntityType, name: str, value: Any) -> bool:
    """Whether a value says what to add to a list and what to take out of it."""
    return entity_type.reducers.get(name) == "merge_array" and isinstance(value, dict)

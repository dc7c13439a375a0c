"""Entity types that are defined as data: what a definition says, and the type that it makes. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.identity import default_identity
from neotoma.substrate.reducer import Strategy
from neotoma.substrate.schema import EntityType, is_array_change
from neotoma.substrate.times import instant

FieldKind = Literal["string", "number", "boolean", "date", "datetime", "array", "object"]
FIELD_NAME = r"^[a-z][a-z0-9_]{0,63}$"
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class FieldDefinition(BaseModel):
    """One field: what its values are, how facts about it are reduced, whether it is filtered and sorted by."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: FieldKind = Field(description="Kind of its values; datetimes have a zone.")
    description: str = Field("", max_length=500, description="What it means.")
    reducer: Strategy = Field("last_write", description="Which fact counts.")
    indexed: bool = Field(False, description="Whether to filter and sort by it.")


class TypeDefinition(BaseModel):
    """A whole type. `identity`: composites of field names, the first that is given whole names the entity; None for
    the usual naming fields, empty for a new entity each time. `strict` refuses fields that are not defined.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    description: str
    fields: dict[str, FieldDefinition]
    identity: list[list[str]] | None = None
    strict: bool = False
    version: int = 1


@dataclass(frozen=True, kw_only=True)
class DefinedType(EntityType):
    """A type from its definition. Fields are kept exactly as they are stated, once they are of the kind defined.

    `unready`: indexed fields whose index does not hold all entities yet.
    """

    definition: TypeDefinition
    unready: frozenset[str] = field(default_factory=frozenset)

    @property
    def filterable(self) -> frozenset[str]:
        return self.indexed - self.unready

    def declares(self, name: str) -> bool:
        return name in self.definition.fields

    def described(self) -> dict[str, str]:
        return {name: one.description for name, one in self.definition.fields.items()}

    def kind_of(self, name: str) -> str:
        return self.definition.fields[name].type

    def holds(self, name: str, value: Any) -> bool:
        """Older facts may say what the definition no longer allows; they stay aside."""
        return self.declares(name) and fits(self.definition.fields[name].type, value)

    def comparable(self, name: str, value: Any) -> Any:
        defined = self.definition.fields.get(name)
        is_moment = defined is not None and defined.type == "datetime" and fits("datetime", value)
        return _utc(value) if is_moment else value

    def validate(self, fields: Mapping[str, Any], path: str = "fields") -> dict[str, Any]:
        problems = list(self._problems(fields, path))
        if problems:
            raise InvalidInput(
                f"{problems[0]['path']}: {problems[0]['problem']}", details={"fields": problems, "type": self.name}
            )
        return dict(fields)

    def _problems(self, fields: Mapping[str, Any], path: str) -> Iterator[dict[str, str]]:
        for name, value in fields.items():
            defined = self.definition.fields.get(name)
            if defined is None or value is None or is_array_change(self, name, value):
                continue
            if not fits(defined.type, value):
                yield {"path": f"{path}.{name}", "problem": f"is not {_ARTICLES[defined.type]}"}


def made_from(definition: TypeDefinition, unready: frozenset[str] = frozenset()) -> DefinedType:
    """The type that a definition makes."""
    named = definition.identity
    return DefinedType(
        name=definition.name,
        description=definition.description,
        identity=default_identity() if named is None else tuple(tuple(rule) for rule in named),
        indexed=frozenset(name for name, one in definition.fields.items() if one.indexed),
        reducers={name: one.reducer for name, one in definition.fields.items()},
        strict=definition.strict,
        definition=definition,
        unready=unready,
    )


def fits(kind: FieldKind, value: Any) -> bool:
    """Whether a JSON value is of this kind."""
    return _KINDS[kind](value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_date(value: Any) -> bool:
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_moment(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        _utc(value)
    except (ValueError, InvalidInput):
        return False
    return True


def _utc(text: str) -> str:
    """UTC with microseconds, so that text order is time order."""
    return instant(datetime.fromisoformat(text), "").strftime("%Y-%m-%dT%H:%M:%S.%fZ")


_KINDS: Mapping[FieldKind, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "date": _is_date,
    "datetime": _is_moment,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_ARTICLES: Mapping[FieldKind, str] = {
    "string": "a text",
    "number": "a number",
    "boolean": "true or false",
    "date": "a date like 2026-01-31",
    "datetime": "a time with a zone like 2026-01-31T12:00:00Z",
    "array": "a list",
    "object": "an object",
}

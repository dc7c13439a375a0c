"""What callers hand to the store and what they get back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from neotoma.substrate.reducer import FactKind

if TYPE_CHECKING:
    from neotoma.substrate.models import Entity, Source

Action = Literal["created", "updated", "unchanged", "deleted", "restored"]


INSTANCE = "instance"
"""The scope of what everybody who writes knows by the same name."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One fact to be stored.

    `entity_id` targets an existing entity; else `key`, or the type's identity rules, name it within `scope`: the whole
    instance, or the key of an actor whose entities are nobody else's, whatever they are called. `visibility`,
    `thread_id` and `owner` count only when the entity is new. `expect` maps fields to the values they must hold now.
    """

    entity_type: str
    fields: Mapping[str, Any] = default(default_factory=dict)
    entity_id: str = ""
    key: str = ""
    scope: str = INSTANCE
    kind: FactKind = "store"
    visibility: str = "internal"
    thread_id: str = ""
    owner: str | None = None
    priority: int = 100
    specificity: int = 0
    observation_source: str = ""
    observed_at: datetime | None = None
    source: Source | None = None
    idempotency_key: str = ""
    expect: Mapping[str, Any] | None = None
    path: str = "fields"


@dataclass(frozen=True, slots=True)
class Warned:
    """A named warning in an answer."""

    code: str
    message: str
    field: str = ""
    details: Mapping[str, Any] = default(default_factory=dict)


@dataclass(slots=True)
class Stored:
    """The outcome of one draft, or of a regrouping, which states no observation.

    `changed` maps each field to its old and new value.
    """

    entity: Entity
    action: Action
    observation_id: int | None = None
    changed: dict[str, dict[str, Any]] = default(default_factory=dict)
    unknown_fields: list[str] = default(default_factory=list)
    warnings: list[Warned] = default(default_factory=list)


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship to state, take back or restore. `path` names it in refusals."""

    relationship_type: str
    source_id: str
    target_id: str
    metadata: Mapping[str, Any] = default(default_factory=dict)
    kind: FactKind = "store"
    path: str = "relationships"

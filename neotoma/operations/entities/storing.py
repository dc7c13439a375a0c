"""The shapes of `store`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from neotoma.operations.entities.shapes import ENTITY_TYPE
from neotoma.operations.shapes import NamedWarning, Shape, WriteParams
from neotoma.substrate.drafts import Stored


class EntityIn(Shape):
    """Type and, flat, fields."""

    model_config = ConfigDict(extra="allow", frozen=True)

    entity_type: str = Field(pattern=ENTITY_TYPE, description="e.g. task.")
    target_id: str | None = Field(None, description="Add to this one.")
    create_new: bool = Field(False, description="Match none.")
    expect: dict[str, Any] = Field(default_factory=dict, description="Values it must have.")

    @property
    def fields(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class RelationshipIn(Shape):
    """Ends: index in `entities`, or id."""

    relationship_type: str = Field(pattern=r"^[A-Z][A-Z_]{1,38}$", description="e.g. REFERS_TO.")
    source_index: int | None = Field(None, description="Source here.")
    source_entity_id: str | None = Field(None, description="Stored source.")
    target_index: int | None = Field(None, description="Target here.")
    target_entity_id: str | None = Field(None, description="Stored target.")
    metadata: dict[str, Any] = Field(default_factory=dict, description="Facts.")


class StoreParams(WriteParams):
    entities: list[EntityIn] = Field(min_length=1, max_length=200, description="1 to 200.")
    relationships: list[RelationshipIn] = Field(default_factory=list, max_length=500, description="Edges.")
    commit: bool = Field(True, description="false rehearses.")
    strict: bool = Field(False, description="Refuse undeclared fields.")
    source_priority: int = Field(100, ge=0, le=999, description="Weight.")
    observation_source: Literal["sensor", "workflow_state", "llm_summary", "human", "import", "sync"] = Field(
        "llm_summary", description="Origin."
    )
    source_id: str | None = Field(None, description="From keep_source.")


class StoredEntity(Shape):
    entity_id: str = Field(description="Id of the entity.")
    entity_type: str = Field(description="Its type.")
    action: str = Field(description="created, updated or unchanged; would_create, would_update in a rehearsal.")
    observation_id: str | None = Field(None, description="Id of the stored fact.")
    warnings: list[NamedWarning] = Field(default_factory=list, description="What to know about this entity.")


class StoreResult(Shape):
    entities: list[StoredEntity] = Field(description="One for each entity given, in order.")
    relationships_created: list[str] = Field(default_factory=list, description="Ids of the edges.")
    unknown_fields: list[str] = Field(
        default_factory=list, description="Fields kept aside because the type does not declare them."
    )
    warnings: list[NamedWarning] = Field(default_factory=list, description="What to know about the call.")
    replayed: bool = Field(
        False, description="True when this is the saved answer of an earlier call with the same key."
    )


def warnings_of(stored: Stored) -> list[NamedWarning]:
    return [
        NamedWarning(code=w.code, message=w.message, field=w.field or None, details=dict(w.details))
        for w in stored.warnings
    ]


def warnings_of_unknown(stored: Stored) -> list[NamedWarning]:
    kind = stored.entity.entity_type
    return [
        NamedWarning(
            code="UNKNOWN_FIELD",
            message=f"{kind} does not declare {name}; it is kept in raw_fragments. Operators declare it with"
            " extend_entity_type.",
            field=name,
            details={"dropped": False, "stored_in": "raw_fragments", "declare_with": "extend_entity_type"},
        )
        for name in stored.unknown_fields
    ]

"""Delete and restore entities."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.shapes import EntityId
from neotoma.operations.reasons import Reason, redacted
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Shape, WriteParams
from neotoma.substrate.drafts import Draft


class DeleteParams(WriteParams):
    entity_id: str = EntityId
    reason: str | None = Reason


class LifeResult(Shape):
    entity_id: str = Field(description="Id of the entity.")
    entity_type: str = Field(description="Its type.")
    action: str = Field(description="deleted, restored, or unchanged.")
    replayed: bool = Field(False, description="True for a repeat.")


@operation(
    "delete_entity",
    title="Delete an entity",
    effect="write",
    risk="mid",
    undo="restore_entity",
    restorable=True,
    scopes=("write", "report"),
    route=Route("DELETE", "entities/{entity_id}"),
    toolset="substrate",
)
def delete_entity(context: Context, params: DeleteParams) -> LifeResult:
    """Delete an entity from lists and searches; its facts stay. Reversible with restore_entity.

    Managed records have their own operations, e.g. withdraw_issue.
    """
    return _life(context, params, "deletion")


@operation(
    "restore_entity",
    title="Restore an entity",
    effect="write",
    risk="mid",
    undo="delete_entity",
    restorable=True,
    scopes=("write", "report"),
    route=Route("POST", "entities/{entity_id}/restore"),
    toolset="substrate",
)
def restore_entity(context: Context, params: DeleteParams) -> LifeResult:
    """Bring a deleted entity back with all its facts. Reversible with delete_entity."""
    return _life(context, params, "restoration")


def _life(context: Context, params: DeleteParams, kind: Literal["deletion", "restoration"]) -> LifeResult:
    entity = targets.writable(context, params.entity_id)
    targets.refuse_managed(entity.entity_type, "entity_id")
    done = "deletion" if entity.deleted_at else "restoration"
    context.about(entity.pk, reason=redacted(params.reason))
    if kind == done:
        return LifeResult(entity_id=entity.pk, entity_type=entity.entity_type, action="unchanged")
    [stored] = context.write.put([Draft(entity.entity_type, entity_id=entity.pk, kind=kind)])
    targets.still_itself(entity.pk, stored.entity)
    return LifeResult(entity_id=entity.pk, entity_type=entity.entity_type, action=stored.action)

"""Go back to an earlier definition of an entity type."""

from __future__ import annotations

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import WriteParams
from neotoma.operations.types.changes import change, held, settled, unchanged
from neotoma.operations.types.shapes import ChangedType, TypeName
from neotoma.substrate import catalogue
from neotoma.substrate.definition import TypeDefinition
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import NotFound


class RevertTypeParams(WriteParams):
    entity_type: TypeName
    version: int = Field(
        ge=0, le=1_000_000, description="Version to go back to; 0 for a type without a definition.", examples=[1]
    )


@operation(
    "revert_entity_type",
    title="Go back to an earlier definition",
    effect="write",
    risk="mid",
    undo="revert_entity_type",
    restorable=True,
    scopes=("operate",),
    route=Route("POST", "entity_types/{entity_type}/revert"),
    toolset="substrate",
)
def revert_entity_type(context: Context, params: RevertTypeParams) -> ChangedType:
    """Define a type again as it was in an earlier version; version 0 takes the definition away. No fact is lost:
    fields that are no longer defined stay readable in raw_fragments. Undo: revert to the version before.
    """
    before = held(params.entity_type)
    after = catalogue.version_of(params.entity_type, params.version) if params.version else None
    definition = catalogue.entity_of(params.entity_type)
    if definition is None or (after is None and params.version):
        raise NotFound(
            f"{params.entity_type} has no version {params.version}.",
            details={"entity_type": params.entity_type, "last_version": catalogue.last_version(params.entity_type)},
        )
    if _same(before, after):
        return unchanged(context, params.entity_type)
    if after is not None:
        return change(context, "reverted", before, after)
    [stored] = context.write.put([Draft(catalogue.DEFINITION.name, entity_id=definition.pk, kind="deletion")])
    return settled(context, "reverted", params.entity_type, stored.entity, before)


def _same(before: TypeDefinition | None, after: TypeDefinition | None) -> bool:
    """But for the number of the version."""
    if before is None or after is None:
        return before is after
    return before == after.model_copy(update={"version": before.version})

"""Take raw material back and restore it."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.reasons import Reason, redacted
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Shape, WriteParams
from neotoma.operations.sources.shapes import SourceId, readable
from neotoma.substrate import sources
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Source
from neotoma.substrate.models.sources import KEPT


class BelongsToSubmission(Refusal):
    """What a submission brought lives and goes with it."""

    error_code: ClassVar[str] = "SOURCE_OF_SUBMISSION"
    status = 403
    hint = "Withdraw the issue or the message."


class SourceLifeParams(WriteParams):
    source_id: SourceId
    reason: str | None = Reason


class SourceLife(Shape):
    source_id: str = Field(description="Id of the source.")
    action: Literal["deleted", "restored", "unchanged"] = Field(description="What this call did.")
    replayed: bool = Field(False, description="True for a repeat.")


@operation(
    "delete_source",
    title="Take raw material back",
    effect="write",
    risk="mid",
    undo="restore_source",
    restorable=True,
    scopes=("write", "report"),
    route=Route("DELETE", "sources/{source_id}"),
    toolset="substrate",
)
def delete_source(context: Context, params: SourceLifeParams) -> SourceLife:
    """Take raw material back: nobody reads or names it any more; facts learned from it stay. Reversible with
    restore_source.
    """
    source = _own(context, params)
    done = sources.withdraw(source, context.write.actor, context.now)
    return SourceLife(source_id=source.public_id, action="deleted" if done else "unchanged")


@operation(
    "restore_source",
    title="Restore raw material",
    effect="write",
    risk="mid",
    undo="delete_source",
    restorable=True,
    scopes=("write", "report"),
    route=Route("POST", "sources/{source_id}/restore"),
    toolset="substrate",
)
def restore_source(context: Context, params: SourceLifeParams) -> SourceLife:
    """Bring raw material back that was taken back. Reversible with delete_source."""
    source = _own(context, params)
    done = sources.restore(source)
    return SourceLife(source_id=source.public_id, action="restored" if done else "unchanged")


def _own(context: Context, params: SourceLifeParams) -> Source:
    source = readable(context, params.source_id)
    if source.kind != KEPT:
        raise BelongsToSubmission("source_id: it belongs to a submission.", details={"path": "source_id"})
    if not context.principal.has("write") and source.actor_key != context.principal.actor.key:
        raise targets.NotYours(
            "source_id: you may only take back what you kept yourself.", details={"path": "source_id"}
        )
    context.about("", source=source.public_id, reason=redacted(params.reason))
    return source

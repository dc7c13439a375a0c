"""Close and reopen issues."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from issues.lookup import IssueRef, find_issue
from issues.schemas import Resolution
from issues.words import CLOSED, RESOLUTION_STATUS
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Shape, WriteParams
from neotoma.submissions import thread
from neotoma.submissions.guard import guard
from neotoma.substrate.drafts import Draft, Edge
from neotoma.substrate.errors import Conflict, InvalidInput
from neotoma.substrate.reading import iso


class CloseIssueParams(WriteParams, IssueRef):
    resolution: Resolution = Field(description='How it ended, e.g. {"kind": "fixed", "fixed_in_version": "1.4.3"}.')
    message: str | None = Field(None, max_length=8000, description="A last word on the thread, beside the resolution.")


class ReopenIssueParams(WriteParams, IssueRef):
    reason: str = Field(min_length=1, max_length=2000, description="Why it is not over; goes to the thread.")


class LifecycleResult(Shape):
    issue_number: int = Field(description="Its number.")
    entity_id: str = Field(description="Its id.")
    state: str = Field(description="open or closed.")
    status: str = Field(description="Where it stands now.")
    resolution: dict[str, Any] | None = Field(None, description="How it ended.")
    replayed: bool = Field(False, description="True for a repeat.")


class AlreadySo(Conflict):
    """The issue is already in the state asked for."""

    error_code = "ISSUE_STATE_CONFLICT"
    hint = "Read get_issue_status and decide on its current state."


@operation(
    "close_issue",
    title="Close an issue",
    effect="write",
    risk="mid",
    undo="reopen_issue",
    restorable=True,
    scopes=("maintain",),
    route=Route("POST", "issues/{issue}/close"),
    toolset="issues",
)
def close_issue(context: Context, params: CloseIssueParams) -> LifecycleResult:
    """Close an issue with a resolution; the reporter's agent reads it and tells its person. Undo: reopen_issue."""
    issue = find_issue(context, params)
    entity = context.write.lock(issue.pk)
    if entity.snapshot["status"] in CLOSED:
        raise AlreadySo(f"Issue {issue.number} is already closed.", details={"status": entity.snapshot["status"]})
    resolution = guard(_resolution(context, params)).fields
    change = {
        "status": RESOLUTION_STATUS[params.resolution.kind],
        "blocked": False,
        "awaiting": "none",
        "resolution": resolution,
        "closed_at": iso(context.now),
    }
    _apply(context, issue.pk, change, params.message)
    if params.resolution.duplicate_of is not None:
        original = find_issue(context, IssueRef(issue_number=params.resolution.duplicate_of))
        if original.pk == issue.pk:
            raise InvalidInput.at("resolution.duplicate_of", "an issue cannot repeat itself")
        context.write.link([Edge("DUPLICATE_OF", issue.pk, original.pk, path="resolution.duplicate_of")])
    context.about(issue.pk, resolution=params.resolution.kind)
    return _result(context, issue.pk)


@operation(
    "reopen_issue",
    title="Reopen an issue",
    effect="write",
    risk="mid",
    undo="close_issue",
    restorable=True,
    scopes=("maintain",),
    route=Route("POST", "issues/{issue}/reopen"),
    toolset="issues",
)
def reopen_issue(context: Context, params: ReopenIssueParams) -> LifecycleResult:
    """Reopen a closed issue; it goes to todo and triage looks at it again. Undo: close_issue."""
    issue = find_issue(context, params)
    entity = context.write.lock(issue.pk)
    if entity.snapshot["status"] not in CLOSED:
        raise AlreadySo(f"Issue {issue.number} is open.", details={"status": entity.snapshot["status"]})
    _apply(context, issue.pk, {"status": "todo", "resolution": None, "closed_at": None}, params.reason)
    context.about(issue.pk)
    return _result(context, issue.pk)


def _resolution(context: Context, params: CloseIssueParams) -> dict[str, Any]:
    stated = params.resolution.model_dump(exclude_none=True)
    return {**stated, "closed_by": context.principal.actor.name, "closed_at": iso(context.now)}


def _apply(context: Context, issue_id: str, change: dict[str, Any], text: str | None) -> None:
    """The change, with a message on the thread when there is something to say."""
    entity = context.write.lock(issue_id)
    if not text:
        context.write.put([Draft("issue", change, entity_id=issue_id)])
        return
    position = entity.snapshot["message_count"] + 1
    safe = guard({"body": text}).fields
    author = context.principal.actor
    message = thread.message_draft(context, issue_id, entity.visibility, position, author, {**safe, "asks": False})
    counted = {**change, "message_count": position, "last_message_at": iso(context.now)}
    stored = context.write.put([message, Draft("issue", counted, entity_id=issue_id)])
    context.write.link([thread.part_of(stored[0].entity.pk, issue_id)])


def _result(context: Context, issue_id: str) -> LifecycleResult:
    held = context.write.lock(issue_id).snapshot
    state = "closed" if held["status"] in CLOSED else "open"
    return LifecycleResult(
        issue_number=held["number"],
        entity_id=issue_id,
        state=state,
        status=held["status"],
        resolution=held.get("resolution"),
    )

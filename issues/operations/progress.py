"""Say how far the work on an open issue is."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from issues.lookup import IssueRef, find_issue
from issues.words import CLOSED
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Shape, WriteParams
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import Conflict

OpenStatus = Literal["backlog", "todo", "in_progress", "review"]


class SetIssueStatusParams(WriteParams, IssueRef):
    status: OpenStatus = Field(description="backlog (nobody looked yet), todo, in_progress or review.")
    blocked: bool = Field(False, description="The work cannot go on as it is; only beside in_progress.")
    only_from: list[OpenStatus] = Field(
        default_factory=list,
        max_length=4,
        description="Change it only if it stands at one of these, else leave it and say where it stands.",
    )

    @model_validator(mode="after")
    def _blocked_work(self) -> Self:
        if self.blocked and self.status != "in_progress":
            raise ValueError("blocked goes only with status in_progress")
        return self


class IssueStanding(Shape):
    issue_number: int = Field(description="Its number.")
    entity_id: str = Field(description="Its id.")
    status: str = Field(description="Where it stands now.")
    blocked: bool = Field(description="True while the work on it cannot go on.")
    replayed: bool = Field(False, description="True for a repeat.")


class IssueClosed(Conflict):
    """Nothing is left to be done on the issue."""

    error_code = "ISSUE_STATE_CONFLICT"
    hint = "Reopen it first with reopen_issue."


@operation(
    "set_issue_status",
    title="Say how far an issue is",
    effect="write",
    risk="mid",
    undo="set_issue_status",
    restorable=True,
    scopes=("maintain",),
    route=Route("POST", "issues/{issue}/status"),
    toolset="issues",
)
def set_issue_status(context: Context, params: SetIssueStatusParams) -> IssueStanding:
    """Say how far the work on an open issue is; whoever filed it reads it in the status.

    To end it: close_issue. Undo: set_issue_status with the values before.
    """
    issue = find_issue(context, params)
    entity = context.write.lock(issue.pk)
    if not params.only_from or entity.snapshot["status"] in params.only_from:
        if entity.snapshot["status"] in CLOSED:
            raise IssueClosed(f"Issue {issue.number} is closed.", details={"status": entity.snapshot["status"]})
        change = {"status": params.status, "blocked": params.blocked}
        [stored] = context.write.put([Draft("issue", change, entity_id=issue.pk)])
        entity = stored.entity
    held = entity.snapshot
    context.about(issue.pk, status=held["status"], blocked=held.get("blocked", False))
    return IssueStanding(
        issue_number=issue.number,
        entity_id=issue.pk,
        status=held["status"],
        blocked=held.get("blocked", False),
    )

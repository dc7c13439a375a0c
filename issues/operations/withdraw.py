"""Take back an issue or a message; the history stays."""

from __future__ import annotations

from pydantic import Field

from issues.lookup import IssueRef, find_issue
from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import GuestAccessToken, Shape, WriteParams
from neotoma.operations.targets import NotYours
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import Conflict, NotFound


class WithdrawIssueParams(WriteParams, IssueRef):
    reason: str | None = Field(None, max_length=500, description="Why, for the audit.")
    guest_access_token: GuestAccessToken = None


class WithdrawMessageParams(WriteParams):
    message_id: str = Field(max_length=28, description="Id of the message, from the status.", examples=["ent_..."])
    reason: str | None = Field(None, max_length=500, description="Why, for the audit.")
    guest_access_token: GuestAccessToken = None


class Withdrawn(Shape):
    entity_id: str = Field(description="Id of what was taken back.")
    withdrawn: bool = Field(description="True: it no longer shows; its history stays.")
    replayed: bool = Field(False, description="True for a repeat.")


class FirstMessage(Conflict):
    error_code = "FIRST_MESSAGE"
    hint = "Withdraw the issue instead."


@operation(
    "withdraw_issue",
    title="Withdraw an issue",
    effect="write",
    risk="mid",
    undo="submit_issue",
    restorable=True,
    scopes=("report", "write", "guest"),
    route=Route("POST", "issues/{issue}/withdraw"),
    toolset="issues",
)
def withdraw_issue(context: Context, params: WithdrawIssueParams) -> Withdrawn:
    """Take back an issue that you filed by mistake. Its history stays; to bring it up again, file it anew."""
    issue = find_issue(context, params)
    _refuse_foreign(context, issue.author_key)
    context.write.put([Draft("issue", entity_id=issue.pk, kind="deletion")])
    context.about(issue.pk, reason=params.reason or "")
    return Withdrawn(entity_id=issue.pk, withdrawn=True)


@operation(
    "withdraw_message",
    title="Withdraw a message",
    effect="write",
    risk="mid",
    undo="add_issue_message",
    restorable=True,
    scopes=("report", "write", "work", "guest"),
    route=Route("POST", "messages/{message_id}/withdraw"),
    toolset="issues",
)
def withdraw_message(context: Context, params: WithdrawMessageParams) -> Withdrawn:
    """Take back a message that you wrote. Its history stays; to say it again, write it anew."""
    entity = targets.readable(context, params.message_id)
    if entity.entity_type != "conversation_message" or entity.deleted_at is not None:
        raise NotFound("There is no such message that you can see.", details={"message_id": params.message_id})
    _refuse_foreign(context, entity.snapshot["author_key"])
    if entity.snapshot["position"] == 1:
        raise FirstMessage("The first message is the report itself.")
    context.write.put([Draft("conversation_message", entity_id=entity.pk, kind="deletion")])
    context.about(entity.thread_id, message=entity.pk, reason=params.reason or "")
    return Withdrawn(entity_id=entity.pk, withdrawn=True)


def _refuse_foreign(context: Context, author_key: str) -> None:
    principal = context.principal
    if principal.has("maintain") or principal.actor.key == author_key or principal.role == "guest":
        return
    raise NotYours("You may only take back what you wrote yourself.")

"""Take back an issue or a message, and bring it back; the history stays."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from issues.lookup import IssueRef, find_issue
from issues.words import CLOSED, NOTES, awaiting_after
from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import GuestAccessToken, Shape, WriteParams
from neotoma.operations.targets import NotYours
from neotoma.submissions.guard import guard
from neotoma.submissions.models import Message
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import Conflict, NotFound
from neotoma.substrate.models import Entity


class WithdrawIssueParams(WriteParams, IssueRef):
    reason: str | None = Field(None, max_length=500, description="Why, for the audit.")
    guest_access_token: GuestAccessToken = None


class WithdrawMessageParams(WriteParams):
    message_id: str = Field(max_length=28, description="Id of the message, from the status.", examples=["ent_..."])
    reason: str | None = Field(None, max_length=500, description="Why, for the audit.")
    guest_access_token: GuestAccessToken = None


class Withdrawn(Shape):
    entity_id: str = Field(description="Id of the issue or message.")
    withdrawn: bool = Field(description="True when it no longer shows; its history stays.")
    replayed: bool = Field(False, description="True for a repeat.")


Life = Literal["deletion", "restoration"]


class FirstMessage(Conflict):
    error_code = "FIRST_MESSAGE"
    hint = "Withdraw the issue instead."


@operation(
    "withdraw_issue",
    title="Withdraw an issue",
    effect="write",
    risk="mid",
    undo="restore_issue",
    restorable=True,
    scopes=("report", "write", "guest"),
    route=Route("POST", "issues/{issue}/withdraw"),
    toolset="issues",
)
def withdraw_issue(context: Context, params: WithdrawIssueParams) -> Withdrawn:
    """Take back an issue that you filed by mistake. Its history stays. Undo: restore_issue."""
    return _issue(context, params, "deletion")


@operation(
    "restore_issue",
    title="Restore an issue",
    effect="write",
    risk="mid",
    undo="withdraw_issue",
    restorable=True,
    scopes=("report", "write", "guest"),
    route=Route("POST", "issues/{issue}/restore"),
    toolset="issues",
)
def restore_issue(context: Context, params: WithdrawIssueParams) -> Withdrawn:
    """Bring back an issue that was withdrawn, with its whole thread. Undo: withdraw_issue."""
    return _issue(context, params, "restoration")


@operation(
    "withdraw_message",
    title="Withdraw a message",
    effect="write",
    risk="mid",
    undo="restore_message",
    restorable=True,
    scopes=("report", "write", "work", "guest"),
    route=Route("POST", "messages/{message_id}/withdraw"),
    toolset="issues",
)
def withdraw_message(context: Context, params: WithdrawMessageParams) -> Withdrawn:
    """Take back a message that you wrote. Its history stays. Undo: restore_message."""
    return _message(context, params, "deletion")


@operation(
    "restore_message",
    title="Restore a message",
    effect="write",
    risk="mid",
    undo="withdraw_message",
    restorable=True,
    scopes=("report", "write", "work", "guest"),
    route=Route("POST", "messages/{message_id}/restore"),
    toolset="issues",
)
def restore_message(context: Context, params: WithdrawMessageParams) -> Withdrawn:
    """Bring back a message that was withdrawn, at its old place. Undo: withdraw_message."""
    return _message(context, params, "restoration")


def _issue(context: Context, params: WithdrawIssueParams, kind: Life) -> Withdrawn:
    issue = find_issue(context, params, withdrawn=kind == "restoration")
    _refuse_foreign(context, issue.author_key, issue.author_key)
    context.about(issue.pk, reason=_reason(params.reason))
    context.write.put([Draft("issue", entity_id=issue.pk, kind=kind)])
    return Withdrawn(entity_id=issue.pk, withdrawn=kind == "deletion")


def _message(context: Context, params: WithdrawMessageParams, kind: Life) -> Withdrawn:
    entity = targets.readable(context, params.message_id)
    gone = entity.deleted_at is not None
    if entity.entity_type != "conversation_message" or (gone and kind == "deletion"):
        raise NotFound("There is no such message that you can see.", details={"message_id": params.message_id})
    subject = context.write.lock(entity.thread_id)
    _refuse_foreign(context, entity.snapshot["author_key"], subject.snapshot["author_key"])
    if entity.snapshot["position"] == 1:
        raise FirstMessage("The first message is the report itself.")
    context.about(entity.thread_id, message=entity.pk, reason=_reason(params.reason))
    context.write.put([Draft("conversation_message", entity_id=entity.pk, kind=kind)])
    # A fact about the issue too: its revision is what tells a reader that something changed.
    context.write.put([Draft("issue", _after(subject), entity_id=subject.pk)])
    return Withdrawn(entity_id=entity.pk, withdrawn=kind == "deletion")


def _reason(text: str | None) -> str:
    """The audit keeps it, so it is redacted like every text."""
    return str(guard({"reason": text or ""}).fields["reason"])


def _after(subject: Entity) -> dict[str, object]:
    """What the issue says once its messages have changed: whose turn it is follows from those that remain."""
    held = subject.snapshot
    if held["status"] in CLOSED:
        return {"message_count": held["message_count"]}
    spoken = Message.objects.of(subject.pk).exclude(author_kind__in=NOTES)
    last = spoken.order_by("-position").only("author_kind", "asks")[0]  # the first message always remains
    return {"message_count": held["message_count"], "awaiting": awaiting_after(last.author_kind, last.asks, "none")}


def _refuse_foreign(context: Context, author_key: str, opener_key: str) -> None:
    """Only the author; a guest speaks for whoever opened its thread, the anonymous included."""
    principal = context.principal
    own = {principal.actor.key, opener_key} if principal.role == "guest" else {principal.actor.key}
    if not principal.has("maintain") and author_key not in own:
        raise NotYours("You may only take back what you wrote yourself.")

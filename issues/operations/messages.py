"""Speak on an issue's thread."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator

from issues.lookup import IssueRef, find_issue
from issues.models import Issue
from issues.words import awaiting_after
from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import GuestAccessToken, NamedWarning, Shape
from neotoma.submissions import thread
from neotoma.submissions.bodies import unescape_once
from neotoma.submissions.guard import RedactionReport, guard
from neotoma.submissions.limits import MAX_BODY_BYTES, MAX_LINKS, refuse_long_body
from neotoma.submissions.provenance import ReporterEnvironmentRequired, ReporterParams
from neotoma.substrate.actors import Actor
from neotoma.substrate.canonical import canonical_json
from neotoma.substrate.drafts import Draft
from neotoma.substrate.models import Entity
from neotoma.substrate.reading import iso


class Missing(Shape):
    """A detail."""

    field: str = Field(max_length=60, description="Name.")
    why: str = Field(max_length=500, description="What for.")


class AddIssueMessageParams(ReporterParams, IssueRef):
    body: str = Field(max_length=MAX_BODY_BYTES, description="Markdown, 64 KB at most.")
    asks: bool | None = Field(None, description="You want an answer; default: by `?`.")
    missing: list[Missing] = Field(
        default_factory=list,
        max_length=20,
        description="Details you ask for.",
    )
    verification: Literal["confirmed", "still_failing"] | None = Field(None, description="Of a fix.")
    entity_ids_to_link: list[str] = Field(
        default_factory=list, max_length=MAX_LINKS, description="Entities it is about."
    )
    guest_access_token: GuestAccessToken = None

    @field_validator("body")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must not be blank")
        return value


class AddedMessage(Shape):
    issue_number: int = Field(description="Number of the issue.")
    entity_id: str = Field(description="Id of the issue.")
    message_id: str = Field(description="Id of the message.")
    position: int = Field(description="Its place in the thread, from 1.")
    status: str = Field(description="Status of the issue after it.")
    awaiting: str = Field(description="Whose turn it is: reporter, maintainer or none.")
    linked_entity_ids: list[str] = Field(default_factory=list, description="Entities that the message refers to.")
    redaction: RedactionReport = Field(description="What was replaced before storing; never the values.")
    replayed: bool = Field(False, description="True for a repeat.")
    warnings: list[NamedWarning] = Field(default_factory=list, description="What to know about the call.")


@operation(
    "add_issue_message",
    title="Answer on an issue",
    effect="write",
    risk="low",
    undo="withdraw_message",
    additive=True,
    scopes=("report", "write", "work", "guest"),
    route=Route("POST", "issues/{issue}/messages"),
    toolset="core",
    status=201,
)
def add_issue_message(context: Context, params: AddIssueMessageParams) -> AddedMessage:
    """Add to an issue's thread: an answer, finding, question or verification.

    Name issue_number or entity_id, and the build tested. Undo: withdraw_message.
    """
    if params.verification == "still_failing" and not params.names_build():
        raise ReporterEnvironmentRequired
    issue = find_issue(context, params)
    refuse_long_body(params.body)
    body, undone = unescape_once(params.body)
    guarded = guard({"body": body, **params.reporter(), **_missing(params)})
    targets.refuse_unreadable(
        context, [(f"entity_ids_to_link.{i}", e) for i, e in enumerate(params.entity_ids_to_link)]
    )
    entity = context.write.lock(issue.pk)
    author = thread.author_of(context, entity.owner)
    source = context.write.keep("message", canonical_json(guarded.fields), raw_digest=guarded.raw_digest)
    fields = {**guarded.fields, "asks": _asks(params), **_verification(params)}
    position = entity.snapshot["message_count"] + 1
    message = thread.message_draft(context, issue.pk, entity.visibility, position, author, fields, source)
    change = _issue_change(context, params, entity, author, position)
    stored = context.write.put([message, Draft("issue", change, entity_id=issue.pk)])
    links = thread.link_edges(stored[0].entity.pk, params.entity_ids_to_link)
    context.write.link([thread.part_of(stored[0].entity.pk, issue.pk), *links])
    context.about(issue.pk, message=stored[0].entity.pk, redacted=guarded.report.counts)
    return AddedMessage(
        issue_number=issue.number,
        entity_id=issue.pk,
        message_id=stored[0].entity.pk,
        position=position,
        status=stored[1].entity.snapshot["status"],
        awaiting=stored[1].entity.snapshot["awaiting"],
        linked_entity_ids=[edge.target_id for edge in links],
        redaction=guarded.report,
        warnings=_warnings(params, issue, undone),
    )


def _asks(params: AddIssueMessageParams) -> bool:
    return bool(params.missing) or ("?" in params.body if params.asks is None else params.asks)


def _missing(params: AddIssueMessageParams) -> dict[str, Any]:
    return {"missing": [item.model_dump() for item in params.missing]} if params.missing else {}


def _verification(params: AddIssueMessageParams) -> dict[str, Any]:
    return {"verification": params.verification} if params.verification else {}


def _issue_change(
    context: Context, params: AddIssueMessageParams, entity: Entity, author: Actor, position: int
) -> dict[str, Any]:
    """A new message is also a fact about its issue, so that a filter on the issue alone is enough."""
    held = entity.snapshot
    change: dict[str, Any] = {
        "message_count": position,
        "last_message_at": iso(context.now),
        "awaiting": awaiting_after(author.kind, _asks(params), held.get("awaiting", "none")),
    }
    if params.verification == "still_failing" and held["status"] in ("done", "cancelled"):
        change |= {"status": "todo", "closed_at": None, "resolution": None}
    return change


def _warnings(params: AddIssueMessageParams, issue: Issue, undone: bool) -> list[NamedWarning]:
    found = []
    if undone:
        message = "The body came with one JSON escape layer too many; one layer was undone."
        found.append(NamedWarning(code="BODY_UNESCAPED", message=message, field="body"))
    if issue.visibility == "public" and not params.names_build():
        message = "Stored without a build: add reporter_app_version or reporter_git_sha so others know what was tested."
        found.append(NamedWarning(code="REPORTER_ENVIRONMENT_MISSING", message=message, field="reporter_app_version"))
    return found

"""File an issue: one call, one transaction."""

from __future__ import annotations

from typing import Any, Literal

from django.conf import settings
from pydantic import Field, field_validator

from issues import similar
from issues.models import IssueNumber
from issues.operations.following import IssueSubscription, Subscribe, subscribe_to, subscription_again
from issues.words import Kind
from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import NamedWarning, Shape
from neotoma.submissions import grant, thread
from neotoma.submissions.bodies import unescape_once
from neotoma.submissions.config import admit
from neotoma.submissions.guard import RedactionReport, guard
from neotoma.submissions.limits import MAX_BODY_BYTES, MAX_LABELS, MAX_LINKS, MAX_TITLE, refuse_long_body
from neotoma.submissions.provenance import ReporterEnvironmentRequired, ReporterParams
from neotoma.submissions.signature import error_signature
from neotoma.substrate.canonical import canonical_json
from neotoma.substrate.reading import iso


class SubmitIssueParams(ReporterParams):
    title: str = Field(
        min_length=1,
        max_length=MAX_TITLE,
        description="One line that names the problem, 300 characters at most.",
        examples=["store drops due_date on task"],
    )
    body: str = Field(
        min_length=1,
        max_length=MAX_BODY_BYTES,
        description=(
            "The whole report: the tool, the exact call, the response, what was expected. "
            "Markdown, 64 KB at most. No secrets."
        ),
    )
    kind: Kind = Field("bug", description="bug, performance, enhancement (missing capability), question or security.")
    entity_type: str | None = Field(
        None, pattern=r"^[a-z][a-z0-9_]{0,62}$", description="Type of the record it is about.", examples=["task"]
    )
    labels: list[str] = Field(
        default_factory=list, max_length=MAX_LABELS, description="Free labels, 50 at most.", examples=[["area/store"]]
    )
    visibility: Literal["private", "public"] | None = Field(
        None, description="private by default; public lets every reporter read it."
    )
    entity_ids_to_link: list[str] = Field(
        default_factory=list,
        max_length=MAX_LINKS,
        description="Entities that the report is about, 100 at most.",
        examples=[["ent_..."]],
    )
    target_repo: str | None = Field(
        None,
        max_length=140,
        pattern=r"^[\w.-]+/[\w.-]+$",
        description="owner/name of the product, when it is not this one.",
    )
    subscribe: Subscribe = Field(
        "none", description="Be told of what follows by webhook, with webhook_url; with sse you read list_events."
    )
    webhook_url: str | None = Field(None, max_length=2048, description="Where to POST; https, a public host.")

    @field_validator("title", "body")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("must not be blank")
        return value

    @field_validator("labels")
    @classmethod
    def _labels(cls, value: list[str]) -> list[str]:
        if any(not label.strip() or len(label) > 100 for label in value):
            raise ValueError("a label has 1 to 100 characters")
        return list(dict.fromkeys(value))


class SimilarIssue(Shape):
    issue_number: int = Field(description="Its number.")
    title: str = Field(description="Its title.")
    state: str = Field(description="open or closed.")
    reason: str = Field(description="What it shares with this report.")


class SubmittedIssue(Shape):
    issue_number: int = Field(description="Number of the issue; keep it.")
    entity_id: str = Field(description="Id of the issue in the graph.")
    conversation_id: str = Field(description="Id of its thread.")
    guest_access_token: str | None = Field(
        None, description="Opens exactly this thread; keep it to read the status later."
    )
    guest_access_token_expires_at: str = Field(description="End of the grant, UTC; extended while the issue is open.")
    ttl_seconds: int = Field(description="The same as a duration from now.")
    status: str = Field(description="backlog.")
    visibility: str = Field(description="private or public.")
    linked_entity_ids: list[str] = Field(default_factory=list, description="Entities that the issue refers to.")
    redaction: RedactionReport = Field(description="What was replaced before storing; never the values.")
    similar_issues: list[SimilarIssue] = Field(default_factory=list, description="Issues you can see that look alike.")
    subscription: IssueSubscription | None = Field(None, description="When you subscribed; list_events fills gaps.")
    replayed: bool = Field(False, description="True when this repeats the answer of an earlier call with the same key.")
    warnings: list[NamedWarning] = Field(default_factory=list, description="What to know about the call.")


def _with_secrets(context: Context, saved: dict[str, Any]) -> dict[str, Any]:
    """A replay answers the same secrets again unless the grant was revoked."""
    if "subscription" in saved:
        again = subscription_again(context, saved["entity_id"], saved["subscription"])
        saved = {**saved, "subscription": again}
    token = grant.token_again(saved["entity_id"], context.principal.actor.key)
    return {**saved, "guest_access_token": token} if token else saved


@operation(
    "submit_issue",
    title="File an issue",
    effect="write",
    risk="low",
    undo="withdraw_issue",
    additive=True,
    scopes=("report", "write", "anonymous"),
    route=Route("POST", "issues"),
    toolset="core",
    status=201,
    secrets=("guest_access_token", "subscription.webhook_secret"),
    replay=_with_secrets,
)
def submit_issue(context: Context, params: SubmitIssueParams) -> SubmittedIssue:
    """File a bug, a slowness or a missing capability in one call, at once, without asking first.

    Needs the build: reporter_app_version or reporter_git_sha. Secrets and personal data are redacted before anything is
    stored. Answers the number and a guest_access_token: keep both, read with get_issue_status, answer with
    add_issue_message. Searching for duplicates is done for you. Undo: withdraw_issue.
    """
    admit(context, "issue")
    reporter = _reporter(context, params)
    body, warnings = _body(params)
    guarded = guard({"title": params.title, "body": body, "labels": params.labels, **reporter, **_product(params)})
    targets.refuse_unreadable(
        context, [(f"entity_ids_to_link.{i}", e) for i, e in enumerate(params.entity_ids_to_link)]
    )
    visibility = params.visibility or settings.NEOTOMA_DEFAULT_VISIBILITY
    fields = _fields(context, params, guarded.fields, visibility)
    source = context.write.keep("submission", canonical_json(guarded.fields), raw_digest=guarded.raw_digest)
    subject = thread.subject_draft("issue", f"issue:{fields['number']}", fields, visibility, source)
    message = thread.message_draft(
        context,
        subject.thread_id,
        visibility,
        1,
        thread.author_of(context, context.principal.actor.key),
        _first_message(fields),
    )
    stored = context.write.put([subject, thread.conversation_draft(subject, fields["title"]), message])
    issue, conversation = stored[0].entity, stored[1].entity
    links = thread.link_edges(issue.pk, params.entity_ids_to_link)
    context.write.link([*thread.first_edges(*stored), *links])
    token, granted = grant.open_grant(issue.pk, context.principal.actor.key, context.now)
    subscription = subscribe_to(context, issue.pk, params.subscribe, params.webhook_url, granted)
    context.about(issue.pk, number=fields["number"], visibility=visibility, redacted=guarded.report.counts)
    return SubmittedIssue(
        issue_number=fields["number"],
        entity_id=issue.pk,
        conversation_id=conversation.pk,
        guest_access_token=token,
        guest_access_token_expires_at=iso(granted.expires_at),
        ttl_seconds=int((granted.expires_at - context.now).total_seconds()),
        status="backlog",
        visibility=visibility,
        linked_entity_ids=[edge.target_id for edge in links],
        redaction=guarded.report,
        similar_issues=[SimilarIssue(**found) for found in similar.find(context, issue, params.entity_ids_to_link)],
        subscription=subscription,
        warnings=warnings,
    )


def _reporter(context: Context, params: SubmitIssueParams) -> dict[str, str]:
    """Only the installation itself may leave the build to the server, and only for this product."""
    if params.names_build():
        return params.reporter()
    if not context.in_process or params.target_repo:
        raise ReporterEnvironmentRequired
    autofilled = {"reporter_app_version": settings.VERSION, "reporter_app_version_source": "server_autofill"}
    return {**params.reporter(), **autofilled}


def _body(params: SubmitIssueParams) -> tuple[str, list[NamedWarning]]:
    refuse_long_body(params.body)
    body, undone = unescape_once(params.body)
    if not undone:
        return body, []
    message = "The body came with one JSON escape layer too many; one layer was undone."
    return body, [NamedWarning(code="BODY_UNESCAPED", message=message, field="body")]


def _fields(context: Context, params: SubmitIssueParams, safe: dict[str, Any], visibility: str) -> dict[str, Any]:
    actor, moment = thread.author_of(context, context.principal.actor.key), iso(context.now)
    number = IssueNumber.objects.create().pk
    signature = error_signature(f"{safe['title']}\n{safe['body']}")
    return {
        "number": number,
        "kind": params.kind,
        "status": "backlog",
        "visibility": visibility,
        "author_key": actor.key,
        "author_kind": actor.kind,
        "author_name": actor.name,
        "conversation_id": thread.conversation_of(thread.subject_id("issue", f"issue:{number}")),
        "awaiting": "maintainer",
        "message_count": 1,
        "created_at": moment,
        "last_message_at": moment,
        **safe,
        **({"error_signature": signature} if signature is not None else {}),
    }


def _product(params: SubmitIssueParams) -> dict[str, str]:
    """What it is about, beside the build."""
    named = {"about_type": params.entity_type, "target_repo": params.target_repo}
    return {name: value for name, value in named.items() if value is not None}


def _first_message(fields: dict[str, Any]) -> dict[str, Any]:
    return {"body": fields["body"], **{name: value for name, value in fields.items() if name.startswith("reporter_")}}

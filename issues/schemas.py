"""The entity type `issue` and its projection."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from issues.models import Issue, IssueLabel
from issues.words import Awaiting, Classification, Kind, ResolutionKind, Status, state_of
from neotoma.operations.shapes import Shape
from neotoma.submissions.provenance import FIELDS
from neotoma.substrate import rows
from neotoma.substrate.models import Entity
from neotoma.substrate.schema import EntityType, register_type


class Resolution(Shape):
    """How an issue ended."""

    kind: ResolutionKind = Field(description="fixed, answered, wont_fix, duplicate, not_reproducible, by_design, test.")
    summary: str | None = Field(None, max_length=2000, description="What was done, or why nothing is.")
    fixed_in_version: str | None = Field(None, max_length=60, description="First release with the fix.")
    fixed_in_sha: str | None = Field(None, max_length=64, description="Commit of the fix.")
    pr_url: str | None = Field(None, max_length=300, description="Address of the pull request.")
    plan_id: str | None = Field(None, max_length=28, description="The plan that led to it.")
    duplicate_of: int | None = Field(None, ge=1, description="Number of the issue it repeats.")


class IssueFields(BaseModel):
    number: int = Field(ge=1)
    title: str
    body: str
    kind: Kind
    classification: Classification | None = None
    status: Status = "backlog"
    blocked: bool = False
    labels: list[str] = []
    visibility: str
    about_type: str | None = None
    author_key: str
    author_kind: str
    author_name: str = ""
    conversation_id: str
    target_repo: str | None = None
    awaiting: Awaiting = "none"
    message_count: int = 1
    error_signature: str | None = None
    resolution: dict[str, Any] | None = None
    reporter_git_sha: str | None = None
    reporter_git_ref: str | None = None
    reporter_channel: str | None = None
    reporter_app_version: str | None = None
    reporter_app_version_source: str | None = None
    reporter_ci_run_id: str | None = None
    reporter_patch_source_id: str | None = None
    created_at: datetime
    last_message_at: datetime
    closed_at: datetime | None = None


def project_issues(entities: Sequence[Entity]) -> None:
    """Bring the Issue table in line with these snapshots."""
    rows.upsert([_issue(entity) for entity in entities])
    relabelled = [entity for entity in entities if entity.touched({"labels"})]
    known = [entity.pk for entity in relabelled if not entity.made_now]
    if known:
        IssueLabel.objects.filter(issue__in=known).delete()
    rows.insert([IssueLabel(issue_id=entity.pk, label=label) for entity in relabelled for label in _labels(entity)])


def _labels(entity: Entity) -> list[str]:
    """As long as the column is; what stands for a secret may be longer than the secret was."""
    return list(dict.fromkeys(label[:100] for label in entity.snapshot.get("labels", [])))


def _issue(entity: Entity) -> Issue:
    fields = entity.snapshot
    return Issue(
        entity_id=entity.pk,
        number=fields["number"],
        title=fields["title"][:300],
        kind=fields["kind"],
        classification=fields.get("classification", ""),
        status=fields["status"],
        state=state_of(fields["status"]),
        blocked=fields.get("blocked", False),
        visibility=entity.visibility,
        awaiting=fields.get("awaiting", "none"),
        labels=fields.get("labels", []),
        author_key=fields["author_key"],
        author_name=fields.get("author_name", ""),
        reporter={name: fields[name] for name in (*FIELDS, "reporter_app_version_source") if name in fields},
        error_signature=(fields.get("error_signature") or "")[:300],
        resolution=fields.get("resolution"),
        message_count=fields["message_count"],
        withdrawn=entity.deleted_at is not None,
        last_message_at=datetime.fromisoformat(fields["last_message_at"]),
        created_at=datetime.fromisoformat(fields["created_at"]),
        updated_at=entity.updated_at,
        closed_at=datetime.fromisoformat(fields["closed_at"]) if fields.get("closed_at") else None,
    )


ISSUE = register_type(
    EntityType(
        name="issue",
        description="A report of a bug, a slowness or a missing capability.",
        model=IssueFields,
        managed_by=(
            "submit_issue",
            "add_issue_message",
            "set_issue_status",
            "close_issue",
            "reopen_issue",
            "withdraw_issue",
            "restore_issue",
        ),
        searchable=("title", "body", "labels"),
        projection=project_issues,
    )
)

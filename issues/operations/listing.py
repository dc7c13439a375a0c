"""List issues."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db.models import Q
from pydantic import Field

from issues.models import Issue, IssueQuerySet
from issues.words import Awaiting, Kind, State, Status, shown_status
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Page, PageParams, Shape
from neotoma.substrate.cursors import capped_total, decode_cursor, encode_cursor
from neotoma.substrate.models.entities import seen_by
from neotoma.substrate.reading import iso
from neotoma.substrate.search import matching
from neotoma.substrate.times import cursor_instant, instant


class ListIssuesParams(PageParams):
    state: State | None = Field(None, description="open or closed.")
    status: Status | None = Field(None, description="backlog, todo, in_progress, review, done or cancelled.")
    kind: Kind | None = Field(None, description="bug, performance, enhancement, question or security.")
    label: str | None = Field(None, max_length=100, description="Only issues with this label.", examples=["area/store"])
    search: str | None = Field(None, max_length=300, description="Words that title or body must hold.")
    awaiting: Awaiting | None = Field(None, description="Whose turn it is.")
    updated_since: datetime | None = Field(None, description="Changed at or after this time, ISO 8601 with zone.")


class IssueRow(Shape):
    issue_number: int = Field(description="Its number.")
    entity_id: str = Field(description="Its id.")
    title: str = Field(description="Its title.")
    state: str = Field(description="open or closed.")
    status: str = Field(description="Where it stands.")
    kind: str = Field(description="The reporter's word for it.")
    labels: list[str] = Field(default_factory=list, description="Its labels.")
    visibility: str = Field(description="private or public.")
    awaiting: str = Field(description="Whose turn it is.")
    message_count: int = Field(description="Messages in its thread.")
    updated_at: str = Field(description="Last change, UTC.")


class IssueList(Page):
    issues: list[IssueRow] = Field(description="This page, last changed first.")


@operation(
    "list_issues",
    title="List issues",
    effect="read",
    risk="low",
    scopes=("report", "read", "work", "review"),
    route=Route("GET", "issues"),
    toolset="core",
)
def list_issues(context: Context, params: ListIssuesParams) -> IssueList:
    """List the issues you may see, last changed first, with filters and a cursor.

    For one known issue use get_issue_status.
    """
    rows = _filtered(Issue.objects.visible_to(context.audience).alive(), params)
    if params.search:
        seen = seen_by(context.audience, "entity__")
        rows = rows.filter(pk__in=list(matching(params.search, entity_types=["issue"], within=seen)))
    total, capped = capped_total(rows)
    page, cursor = _page(rows, params.limit, params.cursor)
    return IssueList(issues=[row_of(issue) for issue in page], next_cursor=cursor, total=total, total_capped=capped)


def row_of(issue: Issue) -> IssueRow:
    return IssueRow(
        issue_number=issue.number,
        entity_id=issue.pk,
        title=issue.title,
        state=issue.state,
        status=shown_status(issue.status, issue.blocked),
        kind=issue.kind,
        labels=issue.labels,
        visibility=issue.visibility,
        awaiting=issue.awaiting,
        message_count=issue.message_count,
        updated_at=iso(issue.updated_at),
    )


def _filtered(rows: IssueQuerySet, params: ListIssuesParams) -> IssueQuerySet:
    columns = ("state", "status", "kind", "awaiting")
    rows = rows.filter(**{name: value for name in columns if (value := getattr(params, name)) is not None})
    if params.label is not None:
        rows = rows.filter(label_rows__label=params.label)
    if params.updated_since is not None:
        rows = rows.filter(updated_at__gte=instant(params.updated_since, "updated_since"))
    return rows


def _page(rows: IssueQuerySet, limit: int, cursor: str | None) -> tuple[list[Issue], str | None]:
    if cursor:
        moment, number = decode_cursor(cursor, str, int)
        at = cursor_instant(moment)
        rows = rows.filter(Q(updated_at__lt=at) | Q(updated_at=at, number__lt=number))
    found = list(rows.order_by("-updated_at", "-number")[: limit + 1])
    if len(found) <= limit:
        return found, None
    last = found[limit - 1]
    return found[:limit], encode_cursor(last.updated_at.astimezone(UTC).isoformat(), last.number)

"""Issues: the list to work through, and one issue with its thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, cast, get_args

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from issues.models import Issue, IssueLabel, IssueQuerySet
from issues.words import Awaiting, Kind, State, Status, shown_status
from neotoma.adminsite.cells import NOTHING, titled
from neotoma.adminsite.filters import words_filter
from neotoma.adminsite.graph import history, links
from neotoma.adminsite.links import list_url, own_page
from neotoma.adminsite.moments import when
from neotoma.adminsite.pages import Button, Page
from neotoma.adminsite.panels import Figure, attention, panel
from neotoma.adminsite.tones import pill, tone_of
from neotoma.adminsite.typed import given, text
from neotoma.submissions.reading import page_of
from neotoma.substrate.actors import Audience
from neotoma.substrate.models.entities import seen_by
from neotoma.substrate.search import matching

own_page("issue", "issues_issue")

RECENT_LABELS = 2_000
"""Label rows that are looked at for the filter, newest first."""


class LabelFilter(admin.SimpleListFilter):
    """The labels in use among the newest issues that this user sees, the most used first."""

    title = "label"
    parameter_name = "label"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> Iterable[tuple[str, str]]:
        seen = model_admin.get_queryset(request).order_by().values("pk")
        rows = IssueLabel.objects.filter(issue__in=seen).order_by("-pk").values_list("label", flat=True)
        found = [label for label, _ in Counter(rows[:RECENT_LABELS]).most_common(20)]
        chosen = self.value()
        return [(label, label) for label in ([chosen] if chosen and chosen not in found else []) + found]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(label_rows__label=self.value()) if self.value() else queryset


@admin.register(Issue)
class IssueAdmin(Page):
    """What agents reported: threads to read and answer, issues to close and reopen."""

    scopes = ("review", "maintain")
    page_template = "admin/neotoma/issue.html"
    list_display = (
        "shown_title",
        "shown_status",
        "shown_kind",
        "shown_awaiting",
        "messages",
        when("updated_at", "Changed"),
    )
    list_filter = (
        words_filter("state", get_args(State)),
        words_filter("status", get_args(Status)),
        words_filter("awaiting", get_args(Awaiting), "waits for"),
        words_filter("kind", get_args(Kind)),
        LabelFilter,
        words_filter("visibility", ("private", "public")),
    )
    list_defer = ("reporter", "resolution")
    search_fields = ("number", "title")
    search_help_text = "A number, or words of title and report."
    ordering = ("-updated_at", "-number")
    sortable_by = ()

    def visible(self, rows: QuerySet[Any], audience: Audience) -> QuerySet[Any]:
        return cast(IssueQuerySet, rows).visible_to(audience).alive()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip().removeprefix("#")
        if not term:
            return queryset, False
        seen = seen_by(self.desk.audience(request), "entity__")
        found = Q(pk__in=list(matching(f"{term}*", entity_types=["issue"], within=seen)))
        if term.isdecimal() and len(term) < 10:
            found |= Q(number=int(term))
        return queryset.filter(found), False

    @admin.display(description="Issue")
    def shown_title(self, row: Issue) -> SafeString:
        labels = format_html_join(" ", "{}", ((pill(label, "calm"),) for label in row.labels[:4]))
        return titled(f"#{row.number} {row.title}", labels)

    @admin.display(description="Status")
    def shown_status(self, row: Issue) -> SafeString:
        return pill(shown_status(row.status, row.blocked))

    @admin.display(description="Kind")
    def shown_kind(self, row: Issue) -> SafeString:
        return pill(row.classification or row.kind)

    @admin.display(description="Waits for")
    def shown_awaiting(self, row: Issue) -> SafeString:
        return pill(row.awaiting) if row.awaiting != "none" else NOTHING

    @admin.display(description="Messages")
    def messages(self, row: Issue) -> int:
        return row.message_count

    def subtitle(self, row: Issue) -> str:
        return f"#{row.number} {row.title}"

    def facts(self, request: HttpRequest, row: Issue) -> dict[str, Any]:
        audience = self.desk.audience(request)
        thread = page_of(row.pk, row.message_count, request.GET.get("thread"))
        conversation = row.entity.snapshot.get("conversation_id", "")
        linked = links([row.pk, *(said.id for said in thread.said)], audience, hide=[conversation])
        return {
            "shown_status": shown_status(row.status, row.blocked),
            "thread": thread,
            "links": [link for link in linked if link.entity.entity_type != "conversation"],
            "steps": history(row.entity, most=30),
            "trail": self.desk.trail(request, row.pk),
            "build": [(name.removeprefix("reporter_"), value) for name, value in row.reporter.items()],
            "resolution": [(name, value) for name, value in (row.resolution or {}).items() if value is not None],
        }

    def buttons(self, request: HttpRequest, row: Issue) -> list[Button]:
        form = "admin/neotoma/forms/{}.html".format
        answer = self.operation(
            request, "add_issue_message", _answer, label="Answer", said="Your answer is on the thread.",
            form=form("answer"), tone="plain",
        )  # fmt: skip
        close = self.operation(
            request, "close_issue", _close, label="Close", said="The issue is closed.", form=form("close"), tone="good",
        )  # fmt: skip
        reopen = self.operation(
            request, "reopen_issue", _reopen, label="Reopen", said="The issue is open again.", form=form("reopen"),
            tone="bad",
        )  # fmt: skip
        move = self.operation(
            request, "set_issue_status", _move, label="Set status", said="The status is set.", form=form("move"),
        )  # fmt: skip
        return answer + (move + close if row.state == "open" else reopen)


def _answer(row: Issue, typed: QueryDict) -> dict[str, Any]:
    asked = [line.partition(":") for line in text(typed, "missing").splitlines() if line.strip()]
    asks = {"yes": True, "no": False}.get(text(typed, "asks"))
    return {
        "entity_id": row.pk,
        "body": text(typed, "body"),
        "missing": [{"field": field.strip(), "why": why.strip()} for field, _, why in asked],
        **({} if asks is None else {"asks": asks}),
        **given(typed, "reporter_app_version", "reporter_git_sha"),
    }


def _move(row: Issue, typed: QueryDict) -> dict[str, Any]:
    return {"entity_id": row.pk, "status": text(typed, "status"), "blocked": "blocked" in typed}


def _close(row: Issue, typed: QueryDict) -> dict[str, Any]:
    names = ("kind", "summary", "fixed_in_version", "fixed_in_sha", "pr_url")
    resolution = given(typed, *names)
    if original := text(typed, "duplicate_of").removeprefix("#"):
        resolution["duplicate_of"] = original
    return {"entity_id": row.pk, "resolution": resolution, **given(typed, "message")}


def _reopen(row: Issue, typed: QueryDict) -> dict[str, Any]:
    return {"entity_id": row.pk, "reason": text(typed, "reason")}


@panel("Issues", order=10, scopes=("review", "maintain"))
def open_issues(audience: Audience) -> list[Figure]:
    """Open issues by status, and those that wait for us."""
    rows = Issue.objects.visible_to(audience).open()
    waiting = Count("pk", filter=Q(awaiting="maintainer"))
    counted: dict[str, Any] = {
        row["status"]: row for row in rows.values("status").annotate(number=Count("pk"), waiting=waiting)
    }
    ours = sum(row["waiting"] for row in counted.values())
    figures = [
        Figure("wait for us", ours, list_url("issues_issue", "awaiting=maintainer&state=open"), attention(ours)),
    ]
    for status in ("backlog", "todo", "in_progress", "review"):
        number = counted.get(status, {}).get("number", 0)
        url = list_url("issues_issue", f"status={status}")
        figures.append(Figure(status.replace("_", " "), number, url, tone_of(status) if number else "calm"))
    return figures

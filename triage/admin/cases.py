"""Cases: one daemon's work on one issue."""

from __future__ import annotations

from typing import Any, get_args

from django.contrib import admin
from django.db.models import F, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.safestring import SafeString

from neotoma.adminsite.cells import NOTHING, noted, titled
from neotoma.adminsite.filters import words_filter
from neotoma.adminsite.moments import when
from neotoma.adminsite.pages import Button, Page
from neotoma.adminsite.tones import pill
from neotoma.substrate.actors import Audience
from triage import schemas
from triage.admin.plans import DaemonFilter
from triage.admin.seen import of_daemons
from triage.models import Case


@admin.register(Case)
class CaseAdmin(Page):
    """Where each daemon stands with each issue: waiting, previewed, planned, running or handed to a person."""

    scopes = ("review", "maintain")
    page_template = "admin/neotoma/case.html"
    list_display = (
        "shown",
        "shown_state",
        "shown_kind",
        when("due_at", "Due"),
        when("updated_at", "Changed"),
    )
    list_filter = (
        words_filter("state", get_args(schemas.CaseState)),
        words_filter("classification", get_args(schemas.Classification)),
        DaemonFilter,
    )
    list_defer = ("preview",)
    search_fields = ("issue_id",)
    search_help_text = "The entity id of an issue."
    ordering = ("-pk",)
    sortable_by = ()

    def visible(self, rows: QuerySet[Any], audience: Audience) -> QuerySet[Any]:
        named: QuerySet[Any] = rows.annotate(issue_name=F("issue__name"), daemon_name=F("daemon__name"))
        return of_daemons(named, audience, "daemon_id")

    @admin.display(description="Case")
    def shown(self, row: Any) -> SafeString:
        return titled(row.issue_name or row.issue_id, f"case {row.pk} of {row.daemon_name}")

    @admin.display(description="State")
    def shown_state(self, row: Case) -> SafeString:
        return noted(pill(row.state), row.error)

    @admin.display(description="Kind")
    def shown_kind(self, row: Case) -> SafeString:
        return pill(row.classification) if row.classification else NOTHING

    def subtitle(self, row: Case) -> str:
        return f"Case {row.pk}"

    def facts(self, request: HttpRequest, row: Case) -> dict[str, Any]:
        return {"preview": row.preview, "plan": row.plan, "runs": row.runs.order_by("-queued_at")[:10]}

    def buttons(self, request: HttpRequest, row: Case) -> list[Button]:
        if row.state != "previewed":
            return []
        hint = f"Every {row.classification or 'such'} report is then acted upon, this one too."
        return self.operation(
            request, "release_preview", _release, label="Release the preview", said="This kind is live.", tone="good",
            hint=hint,
        )  # fmt: skip


def _release(row: Case, typed: QueryDict) -> dict[str, Any]:
    return {"case_id": row.pk}

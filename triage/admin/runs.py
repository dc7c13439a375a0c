"""Runs: one try to carry out one revision of a plan."""

from __future__ import annotations

from typing import Any, get_args

from django.contrib import admin
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from neotoma.adminsite.cells import NOTHING, noted, titled
from neotoma.adminsite.filters import words_filter
from neotoma.adminsite.moments import stated, when
from neotoma.adminsite.pages import Page
from neotoma.adminsite.tones import pill
from neotoma.substrate.actors import Audience
from triage import schemas
from triage.admin.seen import of_daemons
from triage.models import Run


@admin.register(Run)
class RunAdmin(Page):
    """What daemons carried out: each step, how it ended, what it cost."""

    scopes = ("review", "maintain")
    page_template = "admin/neotoma/run.html"
    list_display = (
        "shown",
        "shown_state",
        "shown_outcome",
        "shown_cost",
        when("queued_at", "Queued"),
        when("finished_at", "Finished"),
    )
    list_filter = (words_filter("state", get_args(schemas.RunState)),)
    list_defer = ("steps",)
    search_fields = ("plan_id",)
    search_help_text = "The entity id of a plan."
    ordering = ("-pk",)
    sortable_by = ()

    def visible(self, rows: QuerySet[Any], audience: Audience) -> QuerySet[Any]:
        named: QuerySet[Any] = rows.annotate(plan_title=F("plan__title"))
        return of_daemons(named, audience, "plan__daemon_id")

    @admin.display(description="Run")
    def shown(self, row: Any) -> SafeString:
        return titled(row.plan_title, f"run {row.pk}, revision {row.revision}")

    @admin.display(description="State")
    def shown_state(self, row: Run) -> SafeString:
        return pill(row.state)

    @admin.display(description="Outcome")
    def shown_outcome(self, row: Run) -> SafeString:
        return noted(row.outcome.replace("_", " ") or NOTHING, row.error)

    @admin.display(description="Cost")
    def shown_cost(self, row: Run) -> str:
        return f"${row.cost:.2f}"

    def subtitle(self, row: Run) -> str:
        return f"Run {row.pk}"

    def facts(self, request: HttpRequest, row: Run) -> dict[str, Any]:
        took = (row.finished_at - row.started_at).total_seconds() if row.started_at and row.finished_at else None
        steps = [{**step, "at": stated(step["at"])} for step in row.steps]
        return {"plan": row.plan, "steps": steps, "took_s": round(took, 1) if took is not None else None}

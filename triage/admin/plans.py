"""Plans: what a daemon proposes, with everything that a person needs to decide."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast, get_args

from django.contrib import admin
from django.db.models import Count, F, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from neotoma.adminsite.cells import NOTHING, noted, titled
from neotoma.adminsite.filters import words_filter
from neotoma.adminsite.graph import history, links
from neotoma.adminsite.links import list_url, own_page
from neotoma.adminsite.moments import when
from neotoma.adminsite.pages import Button, Page
from neotoma.adminsite.panels import Figure, attention, panel
from neotoma.adminsite.tones import pill
from neotoma.adminsite.typed import text
from neotoma.submissions.provenance import FIELDS
from neotoma.submissions.reading import page_of
from neotoma.substrate.actors import Audience
from triage import schemas
from triage.admin.seen import of_daemons
from triage.models import Case, DaemonConfig, Plan

own_page("plan", "triage_plan")

APPROVABLE = ("draft", "proposed")
ASKABLE = ("draft", "awaiting_input", "proposed")
REJECTABLE = (*ASKABLE, "approved", "ready_to_ship")


class DaemonFilter(admin.SimpleListFilter):
    """By daemon, of those that this user sees."""

    title = "daemon"
    parameter_name = "daemon"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        audience = cast(Page, model_admin).desk.audience(request)
        seen = of_daemons(DaemonConfig.objects.order_by("name"), audience, "entity_id")
        return list(seen.values_list("entity_id", "name"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(daemon_id=self.value()) if self.value() else queryset


@admin.register(Plan)
class PlanAdmin(Page):
    """What daemons propose: the report, the findings, the steps and gates of each plan; approve, reject or ask."""

    scopes = ("review", "maintain")
    page_template = "admin/neotoma/plan.html"
    list_display = ("shown", "shown_status", "shown_gates", "shown_risk", "shown_kind", when("updated_at", "Changed"))
    list_filter = (
        words_filter("status", get_args(schemas.PlanStatus)),
        DaemonFilter,
        words_filter("kind", get_args(schemas.PlanKind)),
        words_filter("classification", get_args(schemas.Classification)),
        words_filter("risk", get_args(schemas.Risk)),
        words_filter("environment_kind", get_args(schemas.EnvironmentKind), "environment"),
        words_filter("verdict", get_args(schemas.VerdictKind)),
    )
    list_defer = ("steps", "files", "reason")
    search_fields = ("title",)
    search_help_text = "Words of the title, or the entity id of a plan or an issue."
    ordering = ("-updated_at", "-pk")
    sortable_by = ()

    def visible(self, rows: QuerySet[Any], audience: Audience) -> QuerySet[Any]:
        named: QuerySet[Any] = rows.annotate(issue_name=F("issue__name"), daemon_name=F("daemon__name"))
        return of_daemons(named, audience, "daemon_id")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if term.startswith("ent_"):
            return queryset.filter(pk=term) | queryset.filter(issue_id=term), False
        return super().get_search_results(request, queryset, term)

    @admin.display(description="Plan")
    def shown(self, row: Any) -> SafeString:
        return titled(row.title, f"{row.daemon_name} · for {row.issue_name or row.issue_id}")

    @admin.display(description="Status")
    def shown_status(self, row: Plan) -> SafeString:
        return noted(pill(row.status), f"revision {row.revision}")

    @admin.display(description="Gates")
    def shown_gates(self, row: Plan) -> SafeString:
        counted = Counter(gate.get("decision", "") for gate in row.gates)
        shown = [(pill(f"{counted[word]} {word}", tone),) for word, tone in GATE_TONES.items() if counted[word]]
        return format_html_join(" ", "{}", shown) or NOTHING

    @admin.display(description="Risk")
    def shown_risk(self, row: Plan) -> SafeString:
        return pill(row.risk)

    @admin.display(description="Kind")
    def shown_kind(self, row: Plan) -> SafeString:
        return noted(pill(row.classification), row.kind)

    def facts(self, request: HttpRequest, row: Plan) -> dict[str, Any]:
        held, issue, audience = row.entity.snapshot, row.issue, self.desk.audience(request)
        report = issue.snapshot
        return {
            "plan": held,
            "issue": issue,
            "gates": sorted(row.gates, key=lambda gate: list(GATE_TONES).index(gate["decision"])),
            "report": report,
            "report_status": f"{report['status']}:blocked" if report.get("blocked") else report["status"],
            "build": [(name.removeprefix("reporter_"), report[name]) for name in FIELDS if name in report],
            "thread": page_of(issue.pk, report.get("message_count", 0), request.GET.get("thread")),
            "runs": row.runs.order_by("-queued_at")[:10],
            "links": links([row.pk], audience, hide=[issue.pk, row.daemon_id, report.get("conversation_id", "")]),
            "steps_taken": history(row.entity, most=20),
            "trail": self.desk.trail(request, row.pk),
        }

    def buttons(self, request: HttpRequest, row: Plan) -> list[Button]:
        refused = any(gate.get("decision") == "refuse" for gate in row.gates)
        found: list[Button] = []
        if row.status in APPROVABLE and not refused:
            found += self.operation(
                request, "approve_plan", _approve, label="Approve", said="Approved: the daemon may carry it out.",
                tone="good", form="admin/neotoma/forms/approve.html",
            )  # fmt: skip
        if row.status in ASKABLE:
            found += self.operation(
                request, "ask_reporter", _ask, label="Ask the reporter", said="The question is on the thread.",
                form="admin/neotoma/forms/ask.html",
            )  # fmt: skip
        if row.status in REJECTABLE:
            found += self.operation(
                request, "reject_plan", _reject, label="Reject", said="The plan is rejected.", tone="bad",
                form="admin/neotoma/forms/reject.html",
            )  # fmt: skip
        return found


GATE_TONES = {"refuse": "bad", "ask": "warn", "auto": "good"}


def _approve(row: Plan, typed: QueryDict) -> dict[str, Any]:
    return {"plan_id": row.pk, "revision": text(typed, "revision")}


def _reject(row: Plan, typed: QueryDict) -> dict[str, Any]:
    return {**_approve(row, typed), "reason": text(typed, "reason")}


def _ask(row: Plan, typed: QueryDict) -> dict[str, Any]:
    return {"plan_id": row.pk, "text": text(typed, "text")}


@panel("Waiting for a person", order=5, scopes=("review", "maintain"))
def waiting(audience: Audience) -> list[Figure]:
    """Plans to decide on or to ship, and cases that a daemon handed over or shows a preview of."""
    plans = of_daemons(Plan.objects.filter(status__in=("proposed", "ready_to_ship")), audience, "daemon_id")
    cases = of_daemons(Case.objects.filter(state__in=("handed_off", "previewed")), audience, "daemon_id")
    counted = dict(plans.order_by().values_list("status").annotate(Count("pk")))
    counted |= dict(cases.order_by().values_list("state").annotate(Count("pk")))
    shown = (
        ("plans to decide", "proposed", list_url("triage_plan", "status=proposed")),
        ("plans to ship", "ready_to_ship", list_url("triage_plan", "status=ready_to_ship")),
        ("previews to release", "previewed", list_url("triage_case", "state=previewed")),
        ("handed over", "handed_off", list_url("triage_case", "state=handed_off")),
    )
    return [Figure(label, counted.get(word, 0), url, attention(counted.get(word, 0))) for label, word, url in shown]

"""The audit, to look at."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from neotoma.adminsite.cells import noted, titled
from neotoma.adminsite.filters import words_filter
from neotoma.adminsite.moments import when
from neotoma.adminsite.pages import Page
from neotoma.adminsite.tones import pill
from neotoma.operations.models import AuditEntry
from neotoma.substrate.models import Entity

SURFACES = ("mcp", "stdio", "rest", "cli", "admin", "process")
ROLES = ("operator", "maintainer", "reviewer", "agent", "reporter", "guest", "anonymous")


@admin.register(AuditEntry)
class AuditEntryAdmin(Page):
    """Who did what, and who was refused what: a row for each write and each refusal, never changed afterwards."""

    scopes = ("operate",)
    page_template = "admin/neotoma/audit_entry.html"
    list_display = ("shown_operation", "shown_outcome", "shown_actor", "surface", when("at", "When"))
    list_filter = (
        words_filter("outcome", ("done", "refused")),
        words_filter("risk", ("low", "mid", "high")),
        words_filter("surface", SURFACES),
        words_filter("role", ROLES),
    )
    search_fields = ("operation",)
    search_help_text = "An operation, an actor's key, an entity id or a request id, exactly."
    ordering = ("-pk",)
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        return queryset.filter(Q(operation=term) | Q(actor_key=term) | Q(subject=term) | Q(request_id=term)), False

    @admin.display(description="Operation")
    def shown_operation(self, row: AuditEntry) -> SafeString:
        return titled(row.operation, row.subject)

    @admin.display(description="Outcome")
    def shown_outcome(self, row: AuditEntry) -> SafeString:
        return noted(pill(row.outcome), row.error_code)

    @admin.display(description="Actor")
    def shown_actor(self, row: AuditEntry) -> SafeString:
        return noted(row.actor_name or row.actor_key, row.role)

    def subtitle(self, row: AuditEntry) -> str:
        return f"{row.operation} · {row.outcome}"

    def facts(self, request: HttpRequest, row: AuditEntry) -> dict[str, Any]:
        return {"about": Entity.objects.filter(pk=row.subject).first() if row.subject else None}

"""Grants of guests."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.safestring import SafeString

from neotoma.access.admin.endings import revoke, state_of
from neotoma.access.models import GuestToken
from neotoma.adminsite.cells import titled
from neotoma.adminsite.filters import flag_filter
from neotoma.adminsite.moments import when
from neotoma.adminsite.pages import Button, Page
from neotoma.adminsite.tones import pill


@admin.register(GuestToken)
class GuestTokenAdmin(Page):
    """Grants of guests on the thread of one submission; revoking one ends it at once."""

    scopes = ("operate",)
    page_template = "admin/neotoma/guest_token.html"
    list_display = ("shown", "issued_to", "shown_state", when("expires_at", "Ends"), when("created_at", "Made"))
    list_filter = (flag_filter("revoked_at", "revoked", "not revoked", "state"),)
    list_select_related = ("thread",)
    list_defer = ("thread__snapshot", "thread__raw_fragments", "thread__provenance", "thread__canonical_key")
    search_fields = ("thread_id",)
    search_help_text = "The entity id of a thread, or who it was issued to, exactly."
    ordering = ("-pk",)
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        column = "thread_id" if term.startswith("ent_") else "issued_to"
        return (queryset.filter(**{column: term}) if term else queryset), False

    @admin.display(description="Thread")
    def shown(self, row: GuestToken) -> SafeString:
        return titled(row.thread.name or row.thread_id, row.thread.entity_type)

    @admin.display(description="State")
    def shown_state(self, row: GuestToken) -> SafeString:
        return pill(state_of(row))

    def subtitle(self, row: GuestToken) -> str:
        return f"Grant {row.pk}"

    def facts(self, request: HttpRequest, row: GuestToken) -> dict[str, Any]:
        return {"state": state_of(row)}

    def buttons(self, request: HttpRequest, row: GuestToken) -> list[Button]:
        if row.revoked_at is not None:
            return []
        hint = "The guest's token is refused from then on, and their subscriptions end."
        return [Button("revoke", "Revoke", "The grant is revoked.", self._revoke, tone="bad", hint=hint)]

    def _revoke(self, request: HttpRequest, row: GuestToken, typed: QueryDict) -> None:
        rows = GuestToken.objects.filter(pk=row.pk)
        revoke(self, request, rows, "revoke_guest_token", subject=row.thread_id, grant=row.pk)

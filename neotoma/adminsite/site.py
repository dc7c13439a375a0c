"""The site: who is looking, what they may see and do, and the front page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.template.response import TemplateResponse

from neotoma.access import authenticate
from neotoma.access.principals import ANONYMOUS, Principal
from neotoma.adminsite.names import named
from neotoma.adminsite.panels import panels
from neotoma.operations.audit import record_page
from neotoma.operations.catalogue import reachable
from neotoma.operations.invoke import Caller, call
from neotoma.operations.models import AuditEntry
from neotoma.operations.registry import find
from neotoma.substrate.actors import Audience

SECTIONS = {
    "issues": "Issues",
    "triage": "Triage",
    "webhooks": "Webhooks",
    "substrate": "Facts",
    "submissions": "Submissions",
    "access": "Access",
    "operations": "Audit",
    "auth": "People",
}
"""App labels in the order of the menu, with what staff call them."""
TRAIL = 50
"""Audit rows on a page."""


class Site(AdminSite):
    """Sees with the eyes of the operations: one principal a request decides every page."""

    site_header = "Neotoma"
    site_title = "Neotoma"
    index_title = "Overview"
    site_url = None

    def principal(self, request: HttpRequest) -> Principal:
        """Who is signed in; anonymous when nobody is, or somebody who is not staff."""
        held = request.META.get("neotoma.principal")
        if not isinstance(held, Principal) or held.credential != f"user:{request.user.pk}":
            held = authenticate.from_user(request.user) if self.has_permission(request) else ANONYMOUS  # type: ignore[arg-type]
            request.META["neotoma.principal"] = held
        return held

    def audience(self, request: HttpRequest) -> Audience:
        return self.principal(request).audience

    def has(self, request: HttpRequest, *scopes: str) -> bool:
        return not self.principal(request).scopes.isdisjoint(scopes)

    def may(self, request: HttpRequest, operation: str) -> bool:
        op = find(operation)
        principal = self.principal(request)
        return op is not None and bool(op.scopes & principal.scopes) and reachable(op, principal)

    def call(self, request: HttpRequest, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return call(operation, arguments, Caller(self.principal(request), "admin", _request_id(request)))

    def note(self, request: HttpRequest, action: str, subject: str = "", **details: Any) -> None:
        record_page(self.principal(request), action, subject, details, _request_id(request))

    def trail(self, request: HttpRequest, subject: str) -> Sequence[AuditEntry]:
        if not self.has(request, "maintain"):
            return []
        return list(AuditEntry.objects.filter(subject=subject).order_by("-pk")[:TRAIL])

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        shown = [panel.of(request, self) for panel in panels() if self.has(request, *panel.scopes)]
        return super().index(request, {"panels": [panel for panel in shown if panel.figures], **(extra_context or {})})

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        places = {label: place for place, label in enumerate(SECTIONS)}
        apps = super().get_app_list(request, app_label)
        for app in apps:
            app["name"] = SECTIONS.get(app["app_label"], app["name"])
            for model in app["models"]:
                model["name"] = named(model["model"]._meta)[1]
        return sorted(apps, key=lambda app: places.get(app["app_label"], len(places)))


def _request_id(request: HttpRequest) -> str:
    return str(request.META.get("neotoma.request_id", ""))

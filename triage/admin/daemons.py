"""Daemons: their switches, and how they stand."""

from __future__ import annotations

from typing import Any, get_args

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.safestring import SafeString

from neotoma.access.models import EntityGroupPermission, EntityUserPermission
from neotoma.adminsite.cells import titled
from neotoma.adminsite.graph import history
from neotoma.adminsite.links import own_page
from neotoma.adminsite.pages import Button, Page
from neotoma.adminsite.tones import pill
from neotoma.adminsite.typed import given, text
from neotoma.substrate.actors import Audience
from triage import schemas
from triage.admin.seen import of_daemons
from triage.models import DaemonConfig

own_page("daemon_config", "triage_daemonconfig")


@admin.register(DaemonConfig)
class DaemonConfigAdmin(Page):
    """The switches and budgets of each daemon, who reviews its plans, and what it is working on; pause and resume."""

    scopes = ("review", "maintain")
    page_template = "admin/neotoma/daemon.html"
    list_display = ("shown", "shown_active", "reporting_mode", "shown_dry_run", "shown_auto_fix")
    ordering = ("name",)
    sortable_by = ()

    def visible(self, rows: QuerySet[Any], audience: Audience) -> QuerySet[Any]:
        return of_daemons(rows, audience, "pk")

    @admin.display(description="Daemon")
    def shown(self, row: DaemonConfig) -> SafeString:
        return titled(row.name, row.repo or "no repository")

    @admin.display(description="State")
    def shown_active(self, row: DaemonConfig) -> SafeString:
        return pill("active") if row.active else pill("paused", "bad")

    @admin.display(description="Dry run")
    def shown_dry_run(self, row: DaemonConfig) -> SafeString:
        return pill("previews only", "warn") if row.dry_run else pill("live", "good")

    @admin.display(description="Fixes leave")
    def shown_auto_fix(self, row: DaemonConfig) -> SafeString:
        return pill("by themselves", "warn") if row.auto_fix else pill("on a person's word", "calm")

    def subtitle(self, row: DaemonConfig) -> str:
        return row.name

    def facts(self, request: HttpRequest, row: DaemonConfig) -> dict[str, Any]:
        review = {"content_object_id": row.pk, "permission__codename": "review"}
        return {
            "switches": row.config.model_dump(mode="json", exclude={"name"}).items(),
            "cases": row.cases.order_by("state").values_list("state").annotate(Count("pk")),
            "groups": EntityGroupPermission.objects.filter(**review).values_list("group__name", flat=True),
            "users": EntityUserPermission.objects.filter(**review).values_list("user__username", flat=True),
            "modes": get_args(schemas.ReportingMode),
            "steps": history(row.entity, most=20),
            "trail": self.desk.trail(request, row.pk),
        }

    def buttons(self, request: HttpRequest, row: DaemonConfig) -> list[Button]:
        reason = "admin/neotoma/forms/switch.html"
        stop = self.operation(
            request, "pause", _switch, label="Pause", said="Paused: running work is stopped.", tone="bad", form=reason,
        )  # fmt: skip
        go = self.operation(
            request, "resume", _switch, label="Resume", said="It goes on.", tone="good", form=reason,
        )  # fmt: skip
        change = self.operation(
            request, "configure_daemon", _configure, label="Change switches", said="The switches are set.",
            form="admin/neotoma/forms/configure.html",
        )  # fmt: skip
        return (stop if row.active else go) + change


def _switch(row: DaemonConfig, typed: QueryDict) -> dict[str, Any]:
    return {"daemon": row.name, **given(typed, "reason")}


def _configure(row: DaemonConfig, typed: QueryDict) -> dict[str, Any]:
    fields: dict[str, Any] = {"reporting_mode": text(typed, "reporting_mode")}
    fields |= {name: name in typed for name in ("dry_run", "auto_fix")}
    return {"daemon": row.name, "fields": fields}

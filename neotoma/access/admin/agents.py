"""Agents: the programs that call in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.safestring import SafeString

from neotoma.access.admin.forms import Writable
from neotoma.access.models import Agent
from neotoma.adminsite.filters import words_filter
from neotoma.adminsite.moments import when
from neotoma.adminsite.tones import pill


@admin.register(Agent)
class AgentAdmin(Writable):
    """Programs that call in with tokens of their own; one that is switched off is refused at once."""

    list_display = ("name", "kind", "shown_active", when("created_at", "Made"))
    list_filter = (words_filter("kind", ("agent", "daemon")),)
    fields = ("name", "kind", "active")
    search_fields = ("name",)
    ordering = ("name",)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.desk.has(request, "operate")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "kind":
            return forms.ChoiceField(choices=[("agent", "agent"), ("daemon", "daemon")])
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description="State", ordering="active")
    def shown_active(self, row: Agent) -> SafeString:
        return pill("active") if row.active else pill("off", "bad")

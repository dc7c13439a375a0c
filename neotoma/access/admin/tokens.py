"""API tokens: minted once in sight, then only revoked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString

from neotoma.access import bootstrap
from neotoma.access.admin.endings import revoke, state_of
from neotoma.access.admin.forms import Formed
from neotoma.access.models import ApiToken
from neotoma.access.principals import SCOPES
from neotoma.access.tokens import digest
from neotoma.adminsite.cells import mono, titled
from neotoma.adminsite.filters import flag_filter
from neotoma.adminsite.moments import when
from neotoma.adminsite.pages import Button, Page
from neotoma.adminsite.tones import pill

if TYPE_CHECKING:
    Form = forms.ModelForm[ApiToken]
else:
    Form = forms.ModelForm


class TokenForm(Form):
    """A token of exactly one agent or one staff user."""

    scopes = forms.MultipleChoiceField(
        choices=[(scope, scope) for scope in SCOPES],
        widget=forms.CheckboxSelectMultiple,
        help_text="What it may do. A user's token never reaches further than the user.",
    )

    class Meta:
        model = ApiToken
        fields = ("agent", "user", "scopes", "expires_at")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if bool(cleaned.get("agent")) == bool(cleaned.get("user")):
            raise forms.ValidationError("Choose an agent or a user, one of the two.")
        return cleaned


@admin.register(ApiToken)
class ApiTokenAdmin(Formed, Page):
    """API tokens of agents and staff: mint one, which shows it once, or revoke one, which counts at once."""

    scopes = ("operate",)
    form = TokenForm  # type: ignore[assignment]  # the stubs want a form of every model
    page_template = "admin/neotoma/api_token.html"
    list_display = ("shown", "shown_scopes", "shown_state", when("created_at", "Made"))
    list_filter = (flag_filter("revoked_at", "revoked", "live", "state"),)
    list_select_related = ("agent", "user")
    autocomplete_fields = ("agent",)
    search_fields = ("hint", "agent__name", "user__username")
    ordering = ("-pk",)
    sortable_by = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.desk.has(request, *self.scopes)

    @admin.display(description="Token")
    def shown(self, row: ApiToken) -> SafeString:
        return titled(row.agent or row.user, f"{'agent' if row.agent_id else 'user'} · {row.hint}…")

    @admin.display(description="Scopes")
    def shown_scopes(self, row: ApiToken) -> SafeString:
        return mono(" ".join(row.scopes) or "all of the user's")

    @admin.display(description="State")
    def shown_state(self, row: ApiToken) -> SafeString:
        return pill(state_of(row))

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:  # type: ignore[override]  # rows of this page
        """Minted, not saved: the row that the form made is read back from the database."""
        wanted = form.cleaned_data
        with transaction.atomic():
            token = bootstrap.mint(
                scopes=wanted["scopes"], agent=wanted["agent"], user=wanted["user"], expires_at=wanted["expires_at"]
            )
            obj.pk = ApiToken.objects.get(digest=digest(token)).pk
            self.desk.note(request, "mint_api_token", token=obj.pk, scopes=wanted["scopes"])
        request.META["neotoma.minted"] = token

    def response_add(self, request: HttpRequest, obj: Model, post_url_continue: str | None = None) -> HttpResponse:
        """The answer to the form itself shows the token: nothing keeps it for a next page."""
        context = {**self.admin_site.each_context(request), "title": "A new token", "row": obj, "opts": self.opts}
        context["token"] = request.META.pop("neotoma.minted")
        return TemplateResponse(request, "admin/neotoma/minted.html", context, headers={"Cache-Control": "no-store"})

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> None:  # type: ignore[override]  # no row of Django's log
        """The audit has it."""

    def facts(self, request: HttpRequest, row: ApiToken) -> dict[str, Any]:
        return {"state": state_of(row)}

    def buttons(self, request: HttpRequest, row: ApiToken) -> list[Button]:
        if row.revoked_at is not None:
            return []
        hint = "Whoever uses it is refused from then on. It cannot be taken back; mint another one instead."
        return [Button("revoke", "Revoke", "The token is revoked.", self._revoke, tone="bad", hint=hint)]

    def _revoke(self, request: HttpRequest, row: ApiToken, typed: QueryDict) -> None:
        revoke(self, request, ApiToken.objects.filter(pk=row.pk), "revoke_api_token", token=row.pk)

"""Agents, credentials and reviewers: operators make and revoke them here. Tokens are shown once, then only digests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.safestring import SafeString
from guardian.shortcuts import get_perms_for_model

from neotoma.access import bootstrap
from neotoma.access.models import Agent, ApiToken, EntityGroupPermission, EntityUserPermission, GuestToken
from neotoma.access.principals import SCOPES
from neotoma.access.tokens import digest
from neotoma.adminsite.cells import mono, titled
from neotoma.adminsite.filters import flag_filter, words_filter
from neotoma.adminsite.links import entity_link
from neotoma.adminsite.moments import when
from neotoma.adminsite.names import named
from neotoma.adminsite.pages import Button, Page, ReadOnly
from neotoma.adminsite.tones import pill
from neotoma.substrate.models import Entity


class Formed(ReadOnly):
    """A page with one of Django's own forms, kept plain: one way to save, no side doors to other pages."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        one, many = named(self.opts)
        plain = {"show_save_and_add_another": False, "show_save_and_continue": False, "titles": many}
        title = one if object_id else f"New: {one}"
        return super().changeform_view(request, object_id, form_url, {**plain, "title": title, **(extra_context or {})})

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        for door in ("can_add_related", "can_change_related", "can_delete_related", "can_view_related"):
            if field is not None and hasattr(field.widget, door):
                setattr(field.widget, door, False)
        return field


class Writable(Formed):
    """A page where operators add and change rows; each change leaves an audit row."""

    scopes = ("operate",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.desk.has(request, "operate")

    def save_model(self, request: HttpRequest, obj: Model, form: forms.ModelForm[Any], change: bool) -> None:
        with transaction.atomic():
            super().save_model(request, obj, form, change)
            verb = "change" if change else "add"
            self.desk.note(request, f"{verb}_{self.opts.model_name}", row=obj.pk, named=str(obj)[:120])

    def delete_model(self, request: HttpRequest, obj: Model) -> None:
        with transaction.atomic():
            self.desk.note(request, f"delete_{self.opts.model_name}", row=obj.pk, named=str(obj)[:120])
            super().delete_model(request, obj)


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


class ReviewersAdmin(Writable):
    """Base of the two pages that say who reviews what."""

    ordering = ("-pk",)
    sortable_by = ()

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.desk.has(request, "operate")

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "content_object":
            kwargs["queryset"] = Entity.objects.alive().filter(entity_type="daemon_config").order_by("name", "pk")
        if db_field.name == "permission":
            review = get_perms_for_model(Entity).filter(codename="review")
            kwargs |= {"queryset": review, "initial": review.first(), "widget": forms.HiddenInput}
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if field is not None and db_field.name == "content_object":
            field.label = "Daemon"
        return field

    @admin.display(description="Reviews the plans of")
    def daemon(self, row: Any) -> SafeString:
        return entity_link(row.content_object.entity_type, row.content_object_id, row.content_object.name)


@admin.register(EntityGroupPermission)
class GroupReviewersAdmin(ReviewersAdmin):
    """Which group of staff reviews which daemon: its members see and decide that daemon's plans."""

    list_display = ("group", "daemon")
    list_select_related = ("group", "content_object")
    fields = ("group", "content_object", "permission")


@admin.register(EntityUserPermission)
class UserReviewersAdmin(ReviewersAdmin):
    """Which single member of staff reviews which daemon; prefer groups."""

    list_display = ("user", "daemon")
    list_select_related = ("user", "content_object")
    fields = ("user", "content_object", "permission")


def state_of(row: ApiToken | GuestToken) -> str:
    """live, expired or revoked."""
    if row.revoked_at is not None:
        return "revoked"
    return "expired" if row.expires_at is not None and row.expires_at <= timezone.now() else "live"


def revoke(page: Page, request: HttpRequest, rows: QuerySet[Any], action: str, **details: Any) -> None:
    """End a credential, once, and say so in the audit."""
    with transaction.atomic():
        if rows.filter(revoked_at=None).update(revoked_at=timezone.now()):
            page.desk.note(request, action, **details)

"""Pages with Django's own forms, for operators."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db import transaction
from django.db.models import Model
from django.http import HttpRequest

from neotoma.adminsite.names import named
from neotoma.adminsite.pages import ReadOnly


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

"""Who reviews which daemon."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.safestring import SafeString
from guardian.shortcuts import get_perms_for_model

from neotoma.access.admin.forms import Writable
from neotoma.access.models import EntityGroupPermission, EntityUserPermission
from neotoma.adminsite.links import entity_link
from neotoma.substrate.models import Entity


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

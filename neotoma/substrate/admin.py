"""Entities and the event log, to look at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from neotoma.adminsite.cells import noted, quiet, titled
from neotoma.adminsite.filters import words_filter
from neotoma.adminsite.graph import NOT_SHOWN, history, links
from neotoma.adminsite.links import entity_url
from neotoma.adminsite.moments import stated, when
from neotoma.adminsite.pages import Page
from neotoma.adminsite.tones import pill
from neotoma.substrate.actors import Audience
from neotoma.substrate.models import Entity, Event
from neotoma.substrate.models.entities import EntityQuerySet, Visibility, seen_by
from neotoma.substrate.models.events import EVENT_TYPES, EventQuerySet
from neotoma.substrate.schema import declared_types, type_of
from neotoma.substrate.search import matching

RECENT = 2_000
"""Rows among which types of records are looked for, so that a large table costs no more than a small one."""


class TypeFilter(admin.SimpleListFilter):
    """By type of record: the declared ones and those among the newest rows."""

    title = "type"
    parameter_name = "entity_type"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> Iterable[tuple[str, str]]:
        newest = model_admin.get_queryset(request).order_by("-updated_at", "-pk").values_list("entity_type", flat=True)
        chosen = {self.value()} if self.value() else set()
        return [(str(name), str(name)) for name in sorted({*newest[:RECENT], *chosen})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(entity_type=self.value()) if self.value() else queryset


class DeclaredTypeFilter(TypeFilter):
    """By declared type: the event log is too long to look through."""

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> Iterable[tuple[str, str]]:
        return [(name, name) for name in declared_types()]


class LifeFilter(admin.SimpleListFilter):
    """Deleted and merged entities keep their history and stay to be seen."""

    title = "life"
    parameter_name = "life"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> Iterable[tuple[str, str]]:
        return [("alive", "alive"), ("deleted", "deleted"), ("merged", "merged")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = {
            "alive": Q(deleted_at=None, merged_into=None),
            "deleted": Q(deleted_at__isnull=False),
            "merged": Q(merged_into__isnull=False),
        }
        return queryset.filter(wanted[self.value() or ""]) if self.value() in wanted else queryset


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a snapshot and where its value comes from. `undeclared`: its type does not know it."""

    name: str
    value: Any
    observation: int | None
    actor: str
    observed_at: datetime | None
    undeclared: bool


@admin.register(Entity)
class EntityAdmin(Page):
    """Every stored thing: its snapshot with the origin of each value, its observations and its relationships."""

    scopes = ("review", "maintain")
    page_template = "admin/neotoma/entity.html"
    list_display = ("shown_name", "shown_type", "shown_visibility", "observation_count", when("updated_at", "Changed"))
    list_filter = (TypeFilter, words_filter("visibility", Visibility.values), LifeFilter)
    list_defer = ("snapshot", "raw_fragments", "provenance", "canonical_key")
    search_fields = ("id",)
    search_help_text = "An id, or words of the text."
    ordering = ("-updated_at", "-id")
    sortable_by = ()

    def visible(self, rows: QuerySet[Any], audience: Audience) -> QuerySet[Any]:
        return cast(EntityQuerySet, rows).visible_to(audience)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        seen = seen_by(self.desk.audience(request), "entity__")
        named = Q(pk=term) if term.startswith("ent_") else Q(pk__in=list(matching(f"{term}*", within=seen)))
        return queryset.filter(named), False

    @admin.display(description="Name")
    def shown_name(self, row: Entity) -> SafeString:
        return titled(row.name or row.pk, row.pk if row.name else "")

    @admin.display(description="Type")
    def shown_type(self, row: Entity) -> SafeString:
        return pill(row.entity_type, "calm")

    @admin.display(description="Visibility")
    def shown_visibility(self, row: Entity) -> SafeString:
        return pill(row.visibility)

    def subtitle(self, row: Entity) -> str:
        return row.name or row.pk

    def facts(self, request: HttpRequest, row: Entity) -> dict[str, Any]:
        audience = self.desk.audience(request)
        own = entity_url(row.entity_type, row.pk)
        return {
            "fields": _fields(row),
            "steps": history(row),
            "links": links([row.pk], audience),
            "trail": self.desk.trail(request, row.pk),
            "own_page": own if own != request.path else "",
            "thread": Entity.objects.visible_to(audience).filter(pk=row.thread_id).exclude(pk=row.pk).first(),
        }


@admin.register(Event)
class EventAdmin(Page):
    """The ordered log of what was written, as webhooks, streams and list_events tell it."""

    page_template = "admin/neotoma/event.html"
    list_display = ("shown", "shown_type", "shown_fields", "actor", when("created_at", "When"))
    list_filter = (
        words_filter("event_type", EVENT_TYPES, "event"),
        DeclaredTypeFilter,
        words_filter("actor_kind", ("reporter", "agent", "maintainer", "daemon", "mirror", "system"), "actor"),
    )
    search_fields = ("entity_id",)
    search_help_text = "An entity id, or a number of the log."
    ordering = ("-seq",)
    sortable_by = ()

    def visible(self, rows: QuerySet[Any], audience: Audience) -> QuerySet[Any]:
        return cast(EventQuerySet, rows).visible_to(audience)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip().removeprefix("evt_")
        if not term:
            return queryset, False
        if term.isdecimal() and len(term) < 19:
            return queryset.filter(seq=int(term)), False
        return queryset.filter(Q(entity_id=term) | Q(target_id=term) | Q(thread_id=term)), False

    @admin.display(description="Event")
    def shown(self, row: Event) -> SafeString:
        return titled(row.event_id, f"{row.entity_type} {row.entity_id}")

    @admin.display(description="What happened")
    def shown_type(self, row: Event) -> SafeString:
        return pill(row.event_type, "bad" if row.event_type.endswith("deleted") else "calm")

    @admin.display(description="Changed")
    def shown_fields(self, row: Event) -> SafeString:
        names = list(row.fields_changed)
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        return quiet(", ".join(names[:5]) + more)

    @admin.display(description="Actor")
    def actor(self, row: Event) -> SafeString:
        return noted(row.actor_name or row.actor_key, row.actor_kind)

    def subtitle(self, row: Event) -> str:
        return row.event_id

    def facts(self, request: HttpRequest, row: Event) -> dict[str, Any]:
        seen = Entity.objects.visible_to(self.desk.audience(request))
        return {
            "payload": row.payload(),
            "changed": [(name, pair.get("old"), pair.get("new")) for name, pair in row.fields_changed.items()],
            "ends": seen.in_bulk([one for one in (row.entity_id, row.target_id, row.thread_id) if one]).values(),
        }


def _fields(entity: Entity) -> list[Field]:
    """The snapshot, then what the type does not declare, each with its origin; what it hides without its value."""
    found, hidden = [], type_of(entity.entity_type).hidden
    for values, undeclared in ((entity.snapshot, False), (entity.raw_fragments, True)):
        for name, value in values.items():
            origin = entity.provenance.get(name, {})
            at = stated(origin["rank"][2]) if origin.get("rank") else None
            shown = NOT_SHOWN if name in hidden else value
            found.append(Field(name, shown, origin.get("observation"), origin.get("actor", ""), at, undeclared))
    return found

"""Subscriptions and deliveries, to look at. Nothing is sent again from here."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from itertools import takewhile
from typing import Any
from urllib.parse import urlsplit

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.safestring import SafeString

from neotoma.adminsite.cells import NOTHING, noted, quiet, titled
from neotoma.adminsite.filters import words_filter
from neotoma.adminsite.graph import history
from neotoma.adminsite.links import list_url, own_page
from neotoma.adminsite.moments import when
from neotoma.adminsite.pages import Button, Page
from neotoma.adminsite.panels import Figure, attention, panel
from neotoma.adminsite.tones import pill
from neotoma.substrate.actors import Audience
from neotoma.substrate.models import Entity, Event
from webhooks.bodies import delivery_body
from webhooks.models import Delivery, Method, Outcome, Subscription

own_page("subscription", "webhooks_subscription")


SEARCHED = 1_000
"""Subscriptions whose addresses are looked at for a part of one."""
_WORD = re.compile(r"v\d{1,3}|[a-z]{1,24}(?:[._-][a-z]{1,24}){0,3}", re.IGNORECASE)


def address(url: str) -> str:
    """An endpoint without what may be a secret of its owner: user, query, and the path from where it is no words."""
    parts = urlsplit(url)
    steps = parts.path.split("/")
    plain = list(takewhile(lambda step: not step or _WORD.fullmatch(step), steps))
    path = "/".join(plain if len(plain) == len(steps) else [*plain, "…"])
    shown = f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{path}"
    return f"{shown}?…" if parts.query else shown


class ActiveFilter(admin.SimpleListFilter):
    """Ended subscriptions keep their deliveries and stay to be seen."""

    title = "state"
    parameter_name = "active"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [("yes", "active"), ("no", "ended")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(active=self.value() == "yes") if self.value() in ("yes", "no") else queryset


@admin.register(Subscription)
class SubscriptionAdmin(Page):
    """Who is told of which events, where, and how the last deliveries went."""

    page_template = "admin/neotoma/subscription.html"
    list_display = ("shown", "shown_filter", "shown_state", "shown_outcome", when("created_at", "When"))
    list_filter = (words_filter("delivery_method", Method.values, "method"), ActiveFilter)
    search_fields = ("owner",)
    search_help_text = "An owner's key or an entity id, exactly; or a part of an address."
    ordering = ("-created_at", "-pk")
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: Any = super().get_queryset(request)
        return rows.with_last_outcome()  # type: ignore[no-any-return]  # the queryset of Subscription

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        # Only what is shown of an address is searched, or its secrets could be guessed letter by letter.
        likely = queryset.filter(webhook_url__icontains=term).values_list("pk", "webhook_url")[:SEARCHED]
        found = [pk for pk, url in likely if term.casefold() in address(url).casefold()]
        return queryset.filter(Q(owner=term) | Q(pk=term) | Q(pk__in=found)), False

    @admin.display(description="Subscription")
    def shown(self, row: Subscription) -> SafeString:
        where = address(row.webhook_url) if row.webhook_url else "stream"
        return titled(where, f"{row.owner} · {row.delivery_method}")

    @admin.display(description="Wants")
    def shown_filter(self, row: Subscription) -> SafeString:
        parts = [*row.event_types, *row.entity_types, *(f"{len(row.entity_ids)} entities" for _ in row.entity_ids[:1])]
        return quiet(", ".join(parts[:6]) or "everything it may see")

    @admin.display(description="State")
    def shown_state(self, row: Subscription) -> SafeString:
        return pill("active") if row.active else pill("ended", "calm")

    @admin.display(description="Last delivery")
    def shown_outcome(self, row: Any) -> SafeString | str:
        return pill(row.last_outcome) if row.last_outcome else NOTHING

    def subtitle(self, row: Subscription) -> str:
        return address(row.webhook_url) if row.webhook_url else f"Stream of {row.owner}"

    def facts(self, request: HttpRequest, row: Subscription) -> dict[str, Any]:
        return {
            "address": address(row.webhook_url) if row.webhook_url else "",
            "deliveries": row.deliveries.order_by("-pk")[:20],
            "steps": history(row.entity, most=10),
            "trail": self.desk.trail(request, row.pk),
        }

    def buttons(self, request: HttpRequest, row: Subscription) -> list[Button]:
        if not row.active:
            return []
        return self.operation(
            request, "unsubscribe", _end, label="End it", said="Nothing is sent any more.", tone="bad",
            hint="Nothing is sent to it from then on; its deliveries stay to be seen.",
        )  # fmt: skip


def _end(row: Subscription, typed: QueryDict) -> dict[str, Any]:
    return {"subscription_id": row.pk}


@admin.register(Delivery)
class DeliveryAdmin(Page):
    """Each event that was or will be sent to a subscriber: outcome, timing, payload and answer."""

    page_template = "admin/neotoma/delivery.html"
    list_display = (
        "shown",
        "shown_outcome",
        "status",
        "shown_duration",
        when("created_at", "When"),
    )
    list_filter = (words_filter("outcome", Outcome.values),)
    list_select_related = ("subscription",)
    search_fields = ("seq",)
    search_help_text = "dlv_…, evt_…, or the id of a subscription."
    ordering = ("-pk",)
    sortable_by = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        kind, _, number = term.rpartition("_")
        if number.isdecimal() and len(number) < 19 and kind in ("", "dlv", "evt"):
            return queryset.filter(**{"seq" if kind == "evt" else "pk": int(number)}), False
        return queryset.filter(subscription_id=term), False

    @admin.display(description="Delivery")
    def shown(self, row: Delivery) -> SafeString:
        return titled(f"{row.delivery_id} of evt_{row.seq}", address(row.subscription.webhook_url))

    @admin.display(description="Outcome")
    def shown_outcome(self, row: Delivery) -> SafeString:
        return noted(pill(row.outcome), row.error.replace("_", " "))

    @admin.display(description="Took")
    def shown_duration(self, row: Delivery) -> str:
        return f"{row.duration_ms} ms" if row.duration_ms is not None else NOTHING

    @admin.display(description="Status")
    def status(self, row: Delivery) -> int | str:
        return row.http_status or NOTHING

    def subtitle(self, row: Delivery) -> str:
        return row.delivery_id

    def facts(self, request: HttpRequest, row: Delivery) -> dict[str, Any]:
        event = Event.objects.filter(pk=row.seq).first()
        sent = delivery_body(event.payload(), row.subscription_id, row.delivery_id) if event else b""
        waited = row.attempted_at - row.created_at if row.attempted_at else None
        return {
            "event": event,
            "about": Entity.objects.filter(pk=event.entity_id).first() if event else None,
            "payload": json.loads(sent) if sent else None,
            "address": address(row.subscription.webhook_url),
            "waited_ms": round(waited / timedelta(milliseconds=1)) if waited else None,
        }


@panel("Deliveries of the last 24 hours", order=30, scopes=("maintain",))
def deliveries(audience: Audience) -> list[Figure]:
    """By outcome."""
    rows = Delivery.objects.filter(created_at__gte=timezone.now() - timedelta(hours=24)).values("outcome")
    counted = {row["outcome"]: row["number"] for row in rows.annotate(number=Count("pk"))}
    waiting = counted.get(Outcome.PENDING, 0) + counted.get(Outcome.ATTEMPTING, 0)
    figures = [
        _figure(str(outcome.label), counted.get(outcome, 0), outcome)
        for outcome in (Outcome.FAILED, Outcome.BLOCKED_TARGET, Outcome.UNKNOWN)
    ]
    return [
        *figures,
        Figure("waiting", waiting, list_url("webhooks_delivery", "outcome=pending"), "busy" if waiting else "calm"),
        Figure("delivered", counted.get(Outcome.DELIVERED, 0), list_url("webhooks_delivery", "outcome=delivered")),
    ]


def _figure(label: str, number: int, outcome: str) -> Figure:
    return Figure(label, number, list_url("webhooks_delivery", f"outcome={outcome}"), attention(number, "bad"))

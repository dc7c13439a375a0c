"""How the consumers of events are doing: what they gave up on, and how far each has come."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.safestring import SafeString

from neotoma.adminsite.cells import mono, titled
from neotoma.adminsite.filters import flag_filter
from neotoma.adminsite.links import list_url
from neotoma.adminsite.moments import when
from neotoma.adminsite.pages import Button, Page
from neotoma.adminsite.paging import capped
from neotoma.adminsite.panels import Figure, attention, panel
from neotoma.adminsite.tones import pill
from neotoma.consumers import consumers, retry
from neotoma.substrate.actors import Audience
from neotoma.substrate.errors import Conflict
from neotoma.substrate.models import ConsumerOffset, DeadEvent, Event

LAG_CAP = 1_000
"""Events behind which the number itself says nothing more."""


class StillFails(Conflict):
    """The consumer could not take the event this time either."""

    error_code = "EVENT_STILL_FAILS"
    hint = "Look at the error; when the cause is gone, try again."


class ConsumerFilter(admin.SimpleListFilter):
    """By consumer of this installation."""

    title = "consumer"
    parameter_name = "consumer"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [(name, name) for name in consumers()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(consumer=self.value()) if self.value() else queryset


@admin.register(DeadEvent)
class DeadEventAdmin(Page):
    """Events that a consumer failed on five times and that were set aside: the error, another try, or settled."""

    page_template = "admin/neotoma/dead_event.html"
    list_display = ("shown", "shown_error", "shown_state", when("created_at", "When"))
    list_filter = (flag_filter("resolved_at", "resolved", "open", "state"), ConsumerFilter)
    ordering = ("-pk",)
    sortable_by = ()

    @admin.display(description="Event")
    def shown(self, row: DeadEvent) -> SafeString:
        return titled(f"evt_{row.seq}", row.consumer)

    @admin.display(description="Error")
    def shown_error(self, row: DeadEvent) -> SafeString:
        return mono(row.error[:160])

    @admin.display(description="State")
    def shown_state(self, row: DeadEvent) -> SafeString:
        return pill("resolved", "good") if row.resolved_at else pill("open", "bad")

    def subtitle(self, row: DeadEvent) -> str:
        return f"evt_{row.seq} of {row.consumer}"

    def facts(self, request: HttpRequest, row: DeadEvent) -> dict[str, Any]:
        event = Event.objects.filter(pk=row.seq).first()
        return {"event": event, "payload": event.payload() if event else None}

    def buttons(self, request: HttpRequest, row: DeadEvent) -> list[Button]:
        if row.resolved_at or not self.desk.has(request, "operate"):
            return []
        again = "The consumer takes it again. What it had already done for this event is not done twice."
        return [
            Button("retry", "Try again", "The consumer took the event.", self._retry, tone="good", hint=again),
            Button("resolve", "Mark as resolved", "Marked as resolved.", self._resolve, hint="It stays untaken."),
        ]

    def _retry(self, request: HttpRequest, row: DeadEvent, typed: QueryDict) -> None:
        error = retry(row)
        self.desk.note(request, "retry_dead_event", consumer=row.consumer, seq=row.seq, taken=not error)
        if error:
            raise StillFails(f"It failed again: {error}")

    def _resolve(self, request: HttpRequest, row: DeadEvent, typed: QueryDict) -> None:
        if DeadEvent.objects.filter(pk=row.pk, resolved_at=None).update(resolved_at=timezone.now()):
            self.desk.note(request, "resolve_dead_event", consumer=row.consumer, seq=row.seq)


@panel("Events", order=40, scopes=("maintain",))
def consumer_lag(audience: Audience) -> list[Figure]:
    """Dead events, and how many events each consumer has still to take."""
    dead = capped(DeadEvent.objects.filter(resolved_at=None), LAG_CAP)
    figures = [
        Figure("dead events", dead, list_url("substrate_deadevent", "resolved_at=no"), attention(dead, "bad")),
    ]
    offsets = {row.pk: row for row in ConsumerOffset.objects.all()}
    for name, one in consumers().items():
        offset = offsets.get(name)
        behind = capped(Event.objects.filter(one.wanted(), seq__gt=offset.seq if offset else 0), LAG_CAP)
        stuck = f"failing on evt_{offset.failing_seq}" if offset and offset.failures else "behind"
        tone = attention(behind, "bad" if offset and offset.failures else "busy")
        figures.append(Figure(name, f"{LAG_CAP}+" if behind == LAG_CAP else behind, tone=tone, note=stuck))
    return figures

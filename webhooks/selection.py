"""Who gets which events now: filter, credential and visibility, in a handful of queries however many there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django.db.models import Exists, Q, Value

from neotoma.access.authenticate import from_credentials
from neotoma.substrate.actors import Audience
from neotoma.substrate.filters import OBSERVED
from neotoma.substrate.following import merged_into_any, roots_of
from neotoma.substrate.models import Entity, Event
from webhooks.models import Subscription, SubscriptionQuerySet, Watch
from webhooks.watching import carried

AUDIENCES = 100
"""Audiences asked about in one statement; SQLite takes at most 500 parts in a union."""


def wanted() -> Q:
    """Events that some live webhook subscription may want, and the one that made it. Evaluated in SQL; `recipients`
    decides.
    """
    live = Subscription.objects.live_webhooks()
    named = Q(~Q(event_type=OBSERVED) | Exists(live.filter(raw=True)))
    watches = Watch.objects.filter(subscription__in=live)
    ids, types, events = (watches.filter(kind=kind).values("value") for kind in ("entity", "type", "event"))
    became = Entity.objects.filter(pk__in=ids, merged_root__isnull=False).values("merged_root")
    about = Q(entity_id__in=ids) | Q(target_id__in=ids) | Q(thread_id__in=ids)
    about |= Q(entity_id__in=became) | Q(target_id__in=became) | Q(thread_id__in=became)
    made = Q(event_type="entity.created", entity_type="subscription", entity_id__in=live.values("pk"))
    return (named & (about | Q(entity_type__in=types) | Q(event_type__in=events))) | made


def watching(events: Sequence[Event]) -> SubscriptionQuerySet:
    """Live webhook subscriptions that may want one of these events, found by index."""
    hits = Q()
    values = carried(events)
    values["entity"] |= merged_into_any(values["entity"])
    for kind, found in values.items():
        hits |= Q(kind=kind, value__in=found)
    return Subscription.objects.live_webhooks().filter(pk__in=Watch.objects.filter(hits).values("subscription_id"))


def missed(events: Sequence[Event]) -> Iterator[tuple[Subscription, Event]]:
    """Pairs to deliver of what committed while the subscriptions that these events made were not to be seen yet.

    Each has its cursor from before its own transaction ended, and everything after the cursor is promised.
    """
    new = (event for event in events if (event.event_type, event.entity_type) == ("entity.created", "subscription"))
    made = {event.entity_id: event.seq for event in new}
    if not made:
        return
    among = Subscription.objects.live_webhooks().filter(pk__in=made)
    between = Q()
    for one in among:
        if made[one.pk] - one.start_seq > 1:
            between |= Q(seq__gt=one.start_seq, seq__lt=made[one.pk])
    if between:
        yield from recipients(list(Event.objects.filter(between).order_by("seq")), among)


def recipients(events: Sequence[Event], among: SubscriptionQuerySet) -> Iterator[tuple[Subscription, Event]]:
    """Pairs to deliver: the filter matches, the credential still counts and its audience sees the entity now."""
    some = list(among)
    roots = roots_of({entity_id for one in some for entity_id in one.entity_ids})
    matched = [(one, found) for one in some if (found := _matching(one, events, roots))]
    principals = from_credentials({one.credential for one, _ in matched})
    asked: dict[Audience, set[str]] = {}
    for one, found in matched:
        if one.credential in principals:
            ids = asked.setdefault(principals[one.credential].audience, set())
            ids.update(event.entity_id for event in found)
    seen = _seen(asked)
    for one, found in matched:
        if one.credential in principals:
            visible = seen[principals[one.credential].audience]
            yield from ((one, event) for event in found if event.entity_id in visible)


def _matching(one: Subscription, events: Sequence[Event], roots: Mapping[str, str]) -> list[Event]:
    wanted_by = one.filter.following(roots)
    return [event for event in events if event.seq > one.start_seq and wanted_by.matches(event)]


def _seen(asked: Mapping[Audience, set[str]]) -> dict[Audience, set[str]]:
    """Of the entities asked about, those that each audience may see; the one rule of visibility, many at once."""
    audiences = list(asked)
    seen: dict[Audience, set[str]] = {audience: set() for audience in audiences}
    for start in range(0, len(audiences), AUDIENCES):
        parts = [
            Entity.objects.visible_to(audiences[index])
            .filter(pk__in=asked[audiences[index]])
            .annotate(reader=Value(index))
            .values_list("reader", "pk")
            for index in range(start, min(start + AUDIENCES, len(audiences)))
        ]
        for reader, entity_id in parts[0].union(*parts[1:], all=True):
            seen[audiences[reader]].add(entity_id)
    return seen

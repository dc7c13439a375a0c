"""Selection asks for the rights of many readers at once."""

from __future__ import annotations

import pytest

from neotoma.substrate.actors import EVERYTHING, NOTHING, Audience
from neotoma.substrate.models import Entity, Event
from tests.webhooks.world import agent, store, subscribe, thread
from webhooks import selection
from webhooks.models import Subscription

pytestmark = pytest.mark.django_db


def test_many_readers_at_once_see_what_each_alone_would(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = {thread("private"), thread("public", visibility="public"), store(agent("ant"), title="internal")}
    mine = next(iter(ids))
    readers = [
        EVERYTHING,
        NOTHING,
        Audience(public=True),
        Audience(internal=True),
        Audience(owner="user:1"),
        Audience(threads=frozenset({mine})),
        Audience(roots=frozenset({mine})),
    ]
    monkeypatch.setattr(selection, "AUDIENCES", 3)  # so that the readers need several statements
    seen = selection._seen(dict.fromkeys(readers, ids))
    for reader in readers:
        alone = Entity.objects.visible_to(reader).filter(pk__in=ids)
        assert seen[reader] == set(alone.values_list("pk", flat=True))


def test_sql_wants_what_selection_may_want_and_no_observations_for_nothing() -> None:
    ant = agent("ant")
    store(ant, title="dig")
    assert not Event.objects.filter(selection.wanted()).exists()
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    assert {event.event_type for event in Event.objects.filter(selection.wanted())} == {"entity.created"}
    Subscription.objects.filter(pk=mine).update(raw=True)
    kinds = {event.event_type for event in Event.objects.filter(selection.wanted())}
    assert kinds == {"entity.created", "observation.created"}
    Subscription.objects.filter(pk=mine).update(active=False)
    assert not Event.objects.filter(selection.wanted()).exists()

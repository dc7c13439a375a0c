"""From events to delivery rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from neotoma import consumers
from neotoma.access.models import Agent, ApiToken, GuestToken
from neotoma.celery import app
from neotoma.operations.invoke import call
from neotoma.queues import depths
from neotoma.substrate.drafts import Draft
from neotoma.substrate.models import ConsumerOffset, Event
from tests.webhooks.world import agent, fan_out, formica, guest, put, store, subscribe, thread, token_id
from webhooks.models import Delivery, Outcome

pytestmark = pytest.mark.django_db


def events_of(deliveries: list[Delivery]) -> list[tuple[str, str]]:
    """(entity id, event type) of each delivery."""
    found = {event.seq: event for event in Event.objects.all()}
    return [(found[one.seq].entity_id, found[one.seq].event_type) for one in deliveries]


def test_a_matching_event_becomes_one_pending_delivery() -> None:
    ant = agent("ant")
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    task = store(ant, title="dig")
    store(ant, entity_type="note", title="other")
    (delivery,) = fan_out()
    assert (delivery.subscription_id, delivery.outcome, delivery.attempted_at) == (mine, Outcome.PENDING, None)
    assert events_of([delivery]) == [(task, "entity.created")]


def test_what_happened_before_the_subscription_is_not_sent() -> None:
    ant = agent("ant")
    store(ant, title="before")
    subscribe(ant, entity_types=["task"])
    after = store(ant, title="after")
    assert events_of(fan_out()) == [(after, "entity.created")]


def test_observation_created_comes_only_when_it_is_named() -> None:
    ant = agent("ant")
    subscribe(ant, entity_types=["task"])
    named = subscribe(ant, entity_types=["task"], event_types=["observation.created"])["subscription_id"]
    store(ant, title="dig")
    deliveries = fan_out()
    assert sorted(kind for _, kind in events_of(deliveries)) == ["entity.created", "observation.created"]
    (raw,) = [one for one in deliveries if one.subscription_id == named]
    assert events_of([raw])[0][1] == "observation.created"


def test_exclude_self_leaves_out_the_subscribers_own_writes() -> None:
    ant, bee = agent("ant"), agent("bee")
    subscribe(ant, entity_types=["task"], exclude_self=True)
    store(ant, title="mine")
    theirs = store(bee, title="theirs")
    assert events_of(fan_out()) == [(theirs, "entity.created")]


def test_a_filter_on_a_submission_covers_its_messages_and_links() -> None:
    ant = agent("ant", "read", "write", "read:private")
    report = thread("leak")
    task = store(ant, title="dig")
    subscribe(ant, entity_ids=[report])
    (message,) = put(Draft("remark", {"body": "why"}, key="new:1", visibility="private", thread_id=report))
    call(
        "create_relationships",
        {
            "relationships": [
                {"relationship_type": "REFERS_TO", "source_entity_id": task, "target_entity_id": report},
            ]
        },
        ant,
    )
    assert events_of(fan_out()) == [(message, "entity.created"), (task, "relationship.created")]


def test_draining_again_writes_nothing_twice() -> None:
    ant = agent("ant")
    subscribe(ant, entity_types=["task"])
    store(ant, title="dig")
    first = fan_out()
    ConsumerOffset.objects.filter(pk="webhooks.fan_out").update(seq=0)
    assert [one.pk for one in fan_out()] == [one.pk for one in first]
    assert len(first) == 1


def test_an_ended_subscription_gets_nothing() -> None:
    ant = agent("ant")
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    call("unsubscribe", {"subscription_id": mine}, ant)
    store(ant, title="dig")
    assert fan_out() == []


def test_a_stream_makes_no_deliveries() -> None:
    ant = agent("ant")
    call("subscribe", {"delivery_method": "sse", "entity_types": ["task"]}, ant)
    store(ant, title="dig")
    assert fan_out() == []


@pytest.mark.parametrize(
    "change",
    [
        lambda pk: ApiToken.objects.filter(pk=pk).update(revoked_at=timezone.now()),
        lambda pk: ApiToken.objects.filter(pk=pk).update(expires_at=timezone.now()),
        lambda pk: Agent.objects.filter(tokens=pk).update(active=False),
        lambda pk: ApiToken.objects.filter(pk=pk).delete(),
    ],
    ids=["revoked", "expired", "agent off", "gone"],
)
def test_an_ended_credential_gets_nothing(change: Callable[[int], Any]) -> None:
    ant, bee = agent("ant"), agent("bee")
    subscribe(ant, entity_types=["task"])
    still = subscribe(bee, entity_types=["task"])["subscription_id"]
    change(token_id(ant))
    store(bee, title="dig")
    assert [one.subscription_id for one in fan_out()] == [still]


def test_a_reporter_hears_of_its_own_and_of_public_things_only() -> None:
    reporter, ant = agent("rita", "report"), agent("ant")
    subscribe(reporter, entity_types=["task", "report"])
    own = store(reporter, title="mine")
    store(ant, title="internal")
    thread("private")
    public = thread("public", visibility="public")
    assert events_of(fan_out()) == [(own, "entity.created"), (public, "entity.created")]


def test_an_agent_hears_of_private_threads_only_with_the_scope() -> None:
    subscribe(agent("ant"), entity_types=["report"])
    sees = subscribe(agent("bee", "read", "read:private"), entity_types=["report"])["subscription_id"]
    thread("private")
    assert [one.subscription_id for one in fan_out()] == [sees]


def test_a_guest_hears_of_exactly_its_thread() -> None:
    mine, other = thread("mine"), thread("other")
    subscribe(formica(), guest_access_token=guest(mine), event_types=["entity.created", "entity.updated"])
    (heard,) = put(Draft("remark", {"body": "a"}, key="new:1", visibility="private", thread_id=mine))
    put(Draft("remark", {"body": "b"}, key="new:2", visibility="private", thread_id=other))
    put(Draft("remark", {"body": "c"}, key="new:3", visibility="public"))
    assert events_of(fan_out()) == [(heard, "entity.created")]


def test_a_guest_whose_grant_was_revoked_hears_nothing() -> None:
    mine = thread("mine")
    subscribe(formica(), guest_access_token=guest(mine))
    GuestToken.objects.update(revoked_at=timezone.now())
    put(Draft("remark", {"body": "a"}, key="new:1", visibility="private", thread_id=mine))
    assert fan_out() == []


def test_a_daemon_of_the_installation_hears_everything() -> None:
    subscribe(formica(), event_types=["entity.created"])
    report = thread("private")
    # Its own subscription is an entity too, made after the cursor that it was given.
    assert [kind for _, kind in events_of(fan_out())] == ["entity.created"] * 2
    assert events_of(fan_out())[1][0] == report


@pytest.mark.parametrize("shared", [True, False], ids=["one credential", "fifty credentials"])
def test_fifty_subscriptions_cost_the_queries_of_one(shared: bool) -> None:
    thread("before")  # so that no numbers are missing between the end of the log and the first subscription
    consumers.drain("webhooks.fan_out")
    counted = []
    for number in range(50):
        subscribe(agent("ant0" if shared else f"ant{number}", "report"), entity_types=["report"])
        if number in (0, 49):
            thread(f"public {number}", visibility="public")
            with CaptureQueriesContext(connection) as queries:
                consumers.drain("webhooks.fan_out")
            counted.append(len(queries))
    assert Delivery.objects.count() == 1 + 50
    assert counted[0] == counted[1]


def test_every_waiting_delivery_is_announced_once_after_the_commit(
    django_capture_on_commit_callbacks: Any,
) -> None:
    ant = agent("ant")
    for _ in range(3):
        subscribe(ant, entity_types=["task"])
    store(ant, title="dig")
    before = depths(app)["webhooks"]
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        consumers.drain("webhooks.fan_out")
    assert len(callbacks) == 1
    assert depths(app)["webhooks"] - before == 3


def test_events_that_nobody_wants_are_passed_by() -> None:
    ant = agent("ant")
    store(ant, title="dig")
    assert fan_out() == []
    assert ConsumerOffset.objects.get(pk="webhooks.fan_out").seq == Event.objects.latest("seq").seq

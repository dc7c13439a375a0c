"""Ending a subscription."""

from __future__ import annotations

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.errors import NotFound
from neotoma.substrate.models import Event
from tests.webhooks.world import agent, formica, guest, subscribe, thread
from webhooks.models import Subscription

pytestmark = pytest.mark.django_db


def test_ending_twice_is_harmless_and_says_nothing_new() -> None:
    ant = agent("ant")
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    first = call("unsubscribe", {"subscription_id": mine}, ant)
    events = Event.objects.count()
    assert call("unsubscribe", {"subscription_id": mine}, ant) == first
    assert first == {"subscription_id": mine, "active": False, "replayed": False}
    assert Event.objects.count() == events
    assert not Subscription.objects.get(pk=mine).active


def test_a_foreign_and_an_unknown_subscription_are_the_same_404() -> None:
    mine = subscribe(agent("ant"), entity_types=["task"])["subscription_id"]
    for subscription_id in (mine, "ent_" + "0" * 24, "nonsense"):
        with pytest.raises(NotFound) as refused:
            call("unsubscribe", {"subscription_id": subscription_id}, agent("bee", "read", "write", "read:private"))
        assert refused.value.message == f"There is no subscription {subscription_id} of yours."
    assert Subscription.objects.get(pk=mine).active


def test_a_guest_ends_its_own_and_not_that_of_another_grant_on_the_same_thread() -> None:
    mine = thread("mine")
    token, other = guest(mine), guest(mine)
    subscription_id = subscribe(formica(), guest_access_token=token)["subscription_id"]
    with pytest.raises(NotFound):
        call("unsubscribe", {"subscription_id": subscription_id, "guest_access_token": other}, formica())
    call("unsubscribe", {"subscription_id": subscription_id, "guest_access_token": token}, formica())
    assert not Subscription.objects.get(pk=subscription_id).active


def test_a_grant_of_an_agent_does_not_open_that_agents_other_subscriptions() -> None:
    ant = agent("ant")
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    token = guest(thread("mine"), issued_to=ant.principal.actor.key)
    with pytest.raises(NotFound):
        call("unsubscribe", {"subscription_id": mine, "guest_access_token": token}, formica())
    assert Subscription.objects.get(pk=mine).active

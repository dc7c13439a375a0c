"""One attempt: claimed once, checked again, signed, recorded as it went."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from standardwebhooks.webhooks import Webhook

from neotoma.access.models import ApiToken
from neotoma.operations.invoke import Caller, call
from neotoma.substrate.models import Entity, Event, RetentionPass
from tests.support.receiver import receiver
from tests.support.targets import forbidden
from tests.webhooks.world import agent, fan_out, send_all, store, subscribe, thread, token_id
from webhooks.attempts import SLOTS, Claim, attempt, claim_next
from webhooks.models import Delivery, Outcome, Subscription
from webhooks.signing import BODY_SIGNATURE, verify_body

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _local_targets(settings: Any) -> None:
    settings.NEOTOMA_ALLOW_LOCAL_WEBHOOKS = True


def test_a_delivery_arrives_signed_and_is_recorded() -> None:
    ant = agent("ant")
    with receiver() as hook:
        answer = subscribe(ant, entity_types=["task"], webhook_url=hook.url)
        task = store(ant, title="dig")
        (delivery,) = send_all()
    (request,) = hook.requests
    message = Webhook(answer["webhook_secret"]).verify(request.body, request.headers)
    assert message["type"] == "entity.created"
    assert message["data"]["entity_id"] == task
    assert message["data"]["subscription_id"] == answer["subscription_id"]
    assert message["data"]["delivery_id"] == request.headers["webhook-id"] == f"dlv_{delivery.pk}"
    assert verify_body(request.headers[BODY_SIGNATURE.lower()], request.body, [answer["webhook_secret"]])
    assert (delivery.outcome, delivery.http_status, delivery.error) == (Outcome.DELIVERED, 200, "")
    assert delivery.response_head == "ok"
    assert delivery.attempted_at is not None
    assert delivery.duration_ms is not None


def test_what_is_sent_is_the_event_as_the_log_shows_it() -> None:
    ant = agent("ant")
    with receiver() as hook:
        cursor = subscribe(ant, entity_types=["task"], webhook_url=hook.url)["cursor"]
        store(ant, title="dig")
        send_all()
    (listed,) = call("list_events", {"after": cursor, "entity_types": ["task"]}, ant)["events"]
    sent = json.loads(hook.requests[0].body)["data"]
    assert {name: value for name, value in sent.items() if name not in ("subscription_id", "delivery_id")} == listed


@pytest.mark.parametrize(("status", "error"), [(500, "status"), (404, "status"), (429, "status")])
def test_a_refused_delivery_is_attempted_once_and_never_again(status: int, error: str) -> None:
    ant = agent("ant")
    with receiver(status=status) as hook:
        subscribe(ant, entity_types=["task"], webhook_url=hook.url)
        store(ant, title="dig")
        send_all()
        (delivery,) = send_all()
        assert len(hook.requests) == 1
    assert (delivery.outcome, delivery.http_status, delivery.error) == (Outcome.FAILED, status, error)


def test_a_dead_endpoint_is_a_recorded_failure() -> None:
    ant = agent("ant")
    with receiver() as hook:
        url = hook.url
    subscribe(ant, entity_types=["task"], webhook_url=url)
    store(ant, title="dig")
    (delivery,) = send_all()
    assert (delivery.outcome, delivery.http_status, delivery.error) == (Outcome.FAILED, None, "connect")


def test_hostile_targets_are_blocked_at_delivery_without_a_connection(settings: Any) -> None:
    ant = agent("ant")
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    settings.NEOTOMA_ALLOW_LOCAL_WEBHOOKS = False
    with receiver() as hook:
        # As if each had been accepted once: the check at the connection must hold by itself.
        urls = [url for url in forbidden(hook.port) if f":{hook.port}/" in url][::10]
        for url in urls:
            store(ant, title=url)
        waiting = fan_out()
        for url in urls:
            Subscription.objects.filter(pk=mine).update(webhook_url=url)
            claim = claim_next(mine)
            assert claim is not None
            attempt(claim)
        assert hook.connections == 0
    assert len(waiting) == len(urls) > 20
    outcomes = {one.outcome for one in Delivery.objects.all()}
    assert outcomes == {Outcome.BLOCKED_TARGET}


def _revoke(caller: Caller, subscription_id: str, task: str) -> None:
    ApiToken.objects.filter(pk=token_id(caller)).update(revoked_at=timezone.now())


def _unsubscribe(caller: Caller, subscription_id: str, task: str) -> None:
    call("unsubscribe", {"subscription_id": subscription_id}, caller)


def _hide(caller: Caller, subscription_id: str, task: str) -> None:
    Entity.objects.filter(pk=task).update(visibility="private")


@pytest.mark.parametrize("withdraw", [_revoke, _unsubscribe, _hide])
def test_what_was_withdrawn_since_the_drain_is_not_sent(withdraw: Callable[[Caller, str, str], None]) -> None:
    ant = agent("ant")
    with receiver() as hook:
        mine = subscribe(ant, entity_types=["report"], webhook_url=hook.url)["subscription_id"]
        report = thread("public", visibility="public")
        assert len(fan_out()) == 1
        withdraw(ant, mine, report)
        (delivery,) = send_all()
        assert hook.connections == 0
    assert (delivery.outcome, delivery.error, delivery.attempted_at) == (Outcome.FAILED, "withdrawn", None)


def test_an_event_past_retention_is_not_sent() -> None:
    ant = agent("ant")
    with receiver() as hook:
        subscribe(ant, entity_types=["task"], webhook_url=hook.url)
        store(ant, title="dig")
        fan_out()
        RetentionPass.objects.create()
        Event.objects.all().delete()
        (delivery,) = send_all()
        assert hook.connections == 0
    assert (delivery.outcome, delivery.error) == (Outcome.FAILED, "expired")


def test_a_claim_is_given_once_and_oldest_first() -> None:
    ant = agent("ant")
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    store(ant, title="one")
    store(ant, title="two")
    first, second = fan_out()
    claims = [claim_next(mine) for _ in range(3)]
    assert [claim.delivery_id if claim else None for claim in claims] == [first.pk, second.pk, None]


def test_a_subscription_holds_only_its_own_slots() -> None:
    ant = agent("ant")
    slow = subscribe(ant, entity_types=["task"])["subscription_id"]
    other = subscribe(ant, entity_types=["task"])["subscription_id"]
    for number in range(SLOTS + 1):
        store(ant, title=str(number))
    fan_out()
    assert [claim_next(slow) is not None for _ in range(SLOTS + 1)] == [True] * SLOTS + [False]
    assert claim_next(other) is not None


def test_a_late_end_of_a_claim_replaces_unknown_but_no_other_claims_end() -> None:
    ant = agent("ant")
    with receiver() as hook:
        mine = subscribe(ant, entity_types=["task"], webhook_url=hook.url)["subscription_id"]
        store(ant, title="dig")
        fan_out()
        claim = claim_next(mine)
        assert claim is not None
        Delivery.objects.update(outcome=Outcome.UNKNOWN)
        attempt(Claim(claim.delivery_id, claim.claimed_at - timedelta(seconds=60)))
        assert Delivery.objects.get().outcome == Outcome.UNKNOWN
        attempt(claim)
    assert Delivery.objects.get().outcome == Outcome.DELIVERED

"""Walk 2: what was stored is told by webhook, signed, once; the log closes the gaps."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from examples.mcp_agent import Agent
from neotoma.operations.client import Client
from tests.journeys.steps import SECONDS, Answer, end_of_log, events_after, eventually, filed, guest_of
from tests.support.receiver import Answer as Says
from tests.support.receiver import Received, Receiver, receiver
from webhooks.signing import BODY_SIGNATURE, verify_body

pytestmark = pytest.mark.instance


def subscribed(client: Client, hook: Receiver, **filters: Any) -> Answer:
    """Be told of new issues, unless the filters say otherwise."""
    wanted = {"entity_types": ["issue"], "event_types": ["entity.created"], **filters}
    return client.call("subscribe", delivery_method="webhook", webhook_url=hook.url, **wanted)


def delivered(call: Callable[..., Answer], subscription: Answer, **outcomes: int) -> None:
    """Wait until nothing is under way and the deliveries so far have exactly these outcomes."""

    def read() -> Answer:
        answer = call("get_subscription_status", subscription_id=subscription["subscription_id"])
        found: Answer = answer["subscription"]
        return found

    eventually(read, lambda found: bool(found["lag"] == 0 and found["deliveries"] == outcomes))


def verified(request: Received, subscription: Answer) -> Answer:
    """The event of a request whose signature holds."""
    message: Answer = Webhook(subscription["webhook_secret"]).verify(request.body, request.headers)
    data: Answer = message["data"]
    return data


def test_a_report_is_told_as_the_log_has_it(reporter: Agent, operator: Client) -> None:
    with receiver() as hook:
        subscription = subscribed(operator, hook)
        issue = filed(reporter)
        [request] = hook.wait_for(1, SECONDS)
        delivered(operator.call, subscription, delivered=1)
    event = verified(request, subscription)
    assert request.headers["webhook-id"] == event["delivery_id"]
    assert verify_body(request.headers[BODY_SIGNATURE.lower()], request.body, [subscription["webhook_secret"]])
    [logged] = events_after(operator, subscription["cursor"], entity_types=["issue"], event_types=["entity.created"])
    added = {"subscription_id": subscription["subscription_id"], "delivery_id": event["delivery_id"]}
    assert event == {**logged, **added}
    assert event["entity_id"] == issue["entity_id"]


def test_what_failed_is_listed_and_never_sent_again(reporter: Agent, operator: Client) -> None:
    with receiver(status=500) as hook:
        subscription = subscribed(operator, hook)
        missed = filed(reporter)
        delivered(operator.call, subscription, failed=1)
        hook.answer = Says()
        told = filed(reporter)
        delivered(operator.call, subscription, failed=1, delivered=1)
        requests = list(hook.requests)
    assert [json.loads(one.body)["data"]["entity_id"] for one in requests] == [missed["entity_id"], told["entity_id"]]
    gap = events_after(operator, subscription["cursor"], entity_types=["issue"], event_types=["entity.created"])
    assert [event["entity_id"] for event in gap] == [missed["entity_id"], told["entity_id"]]


def test_a_guest_is_told_of_its_own_thread_only(reporter: Agent, nobody: Agent, operator: Client) -> None:
    own, other = filed(reporter), filed(reporter)
    with receiver() as hook:
        guest = {"guest_access_token": own["guest_access_token"]}
        subscription = nobody.call("subscribe", delivery_method="webhook", webhook_url=hook.url, **guest)
        for issue in (other, own):
            operator.add_issue_message(issue["issue_number"], "Which build was it?")
        delivered(partial(nobody.call, **guest), subscription, delivered=3)
        requests = list(hook.requests)
    events = [verified(request, subscription) for request in requests]
    assert {event["thread_id"] for event in events} == {own["entity_id"]}
    assert {(event["event_type"], event["entity_type"]) for event in events} == {
        ("entity.created", "conversation_message"),
        ("entity.updated", "issue"),
        ("relationship.created", "conversation_message"),
    }


def test_an_ended_subscription_is_told_nothing(reporter: Agent, operator: Client) -> None:
    with receiver() as ended, receiver() as running:
        first, second = subscribed(operator, ended), subscribed(operator, running)
        operator.call("unsubscribe", subscription_id=first["subscription_id"])
        filed(reporter)
        running.wait_for(1, SECONDS)
        delivered(operator.call, second, delivered=1)
        delivered(operator.call, first)
        assert ended.requests == []


def test_its_own_writes_can_be_left_out(reporter: Agent, operator: Client) -> None:
    issue = filed(reporter)
    before = end_of_log(operator)
    with receiver() as hook:
        subscription = subscribed(operator, hook, entity_types=["conversation_message"], exclude_self=True)
        operator.add_issue_message(issue["issue_number"], "Looking.")
        reporter.call("add_issue_message", body="Thanks.", **guest_of(issue))
        requests = hook.wait_for(1, SECONDS)
        delivered(operator.call, subscription, delivered=1)
    assert verified(requests[0], subscription)["actor"]["kind"] == "reporter"
    assert len(events_after(operator, before, entity_types=["conversation_message"])) >= 2

"""Webhooks of a whole instance: its own workers, over HTTP."""

from __future__ import annotations

import json
import os
import signal
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from tests.instance import Instance, running_instance, wait_for
from tests.support.receiver import Receiver, receiver

pytestmark = pytest.mark.instance

SECONDS = 30.0


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("webhooks")
    with running_instance(folder, os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")) as running:
        yield running


def ask(instance: Instance, method: str, path: str, body: Any = None) -> dict[str, Any]:
    """One REST call as the operator."""
    headers = {"Authorization": f"Bearer {instance.operator_token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{instance.base_url}/api/{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as response:
        answer: dict[str, Any] = json.load(response)
        return answer


def subscribe(instance: Instance, hook: Receiver, entity_type: str) -> dict[str, Any]:
    arguments = {"delivery_method": "webhook", "webhook_url": hook.url, "entity_types": [entity_type]}
    return ask(instance, "POST", "subscriptions", arguments)


def store(instance: Instance, entity_type: str, *titles: str) -> None:
    entities = [{"entity_type": entity_type, "title": title} for title in titles]
    ask(instance, "POST", "entities", {"entities": entities})


def deliveries(instance: Instance, subscription: dict[str, Any]) -> dict[str, int]:
    """How many deliveries have each outcome."""
    answer = ask(instance, "GET", f"subscriptions/{subscription['subscription_id']}")
    found: dict[str, int] = answer["subscription"]["deliveries"]
    return found


def test_each_event_arrives_once_and_verifies(instance: Instance) -> None:
    titles = [f"task {number}" for number in range(40)]
    with receiver() as hook:
        subscription = subscribe(instance, hook, "task")
        store(instance, "task", *titles)
        requests = hook.wait_for(40, SECONDS)
        wait_for(lambda: deliveries(instance, subscription) == {"delivered": 40}, SECONDS)
        assert len(hook.requests) == 40
    check = Webhook(subscription["webhook_secret"])
    messages = [check.verify(request.body, request.headers) for request in requests]
    assert sorted(one["data"]["fields_changed"]["title"]["new"] for one in messages) == sorted(titles)


def test_a_slow_endpoint_does_not_hold_up_others(instance: Instance) -> None:
    with receiver(hang=True) as slow, receiver() as quick:
        subscribe(instance, slow, "slow")
        subscribe(instance, quick, "quick")
        store(instance, "slow", *(f"slow {number}" for number in range(60)))
        slow.wait_for(4, SECONDS)
        store(instance, "quick", "quick")
        quick.wait_for(1, SECONDS)
        assert len(slow.requests) == 4  # none of these has ended, or others would have followed


def test_a_killed_worker_loses_no_delivery_and_sends_none_twice(instance: Instance) -> None:
    with receiver(hang=True) as hook:
        subscription = subscribe(instance, hook, "errand")
        store(instance, "errand", *(f"errand {number}" for number in range(8)))
        hook.wait_for(4, SECONDS)
        os.kill(instance.pids()["webhooks"], signal.SIGKILL)
        hook.answer = type(hook.answer)()
        outcomes = {"delivered": 4, "unknown": 4}
        wait_for(
            lambda: deliveries(instance, subscription) == outcomes,
            60.0,
            lambda: str(deliveries(instance, subscription)),
        )
        ids = [request.headers["webhook-id"] for request in hook.requests]
        assert len(ids) == len(set(ids)) == 8

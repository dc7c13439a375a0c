"""Reading how subscriptions stand."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from neotoma.access import bootstrap
from neotoma.access.authenticate import from_api_token
from neotoma.operations.invoke import Caller, call
from neotoma.substrate.errors import NotFound
from tests.support.receiver import receiver
from tests.webhooks.world import URL, agent, fan_out, formica, guest, send_all, store, subscribe, thread

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _local_targets(settings: Any) -> None:
    settings.NEOTOMA_ALLOW_LOCAL_WEBHOOKS = True


def status(caller: Caller, subscription_id: str, **more: Any) -> dict[str, Any]:
    answer = call("get_subscription_status", {"subscription_id": subscription_id, **more}, caller)
    found: dict[str, Any] = answer["subscription"]
    return found


def test_a_status_follows_a_delivery_from_the_event_to_its_outcome() -> None:
    ant = agent("ant")
    with receiver() as hook:
        mine = subscribe(ant, entity_types=["task"], webhook_url=hook.url)["subscription_id"]
        assert status(ant, mine)["lag"] == 1  # the consumer has not seen the subscription itself
        fan_out()
        fresh = status(ant, mine)
        assert (fresh["active"], fresh["lag"], fresh["deliveries"]) == (True, 0, {})
        assert "last_outcome" not in fresh
        store(ant, title="dig")
        assert status(ant, mine)["lag"] == 1
        fan_out()
        waiting = status(ant, mine)
        assert (waiting["lag"], waiting["deliveries"]) == (1, {"pending": 1})
        send_all()
        hook.answer = type(hook.answer)(status=500)
        store(ant, title="dug")
        send_all()
    ended = status(ant, mine)
    assert (ended["lag"], ended["last_outcome"]) == (0, "failed")
    assert ended["deliveries"] == {"delivered": 1, "failed": 1}


def test_a_status_never_shows_the_secret_or_what_it_is_derived_from() -> None:
    ant = agent("ant")
    answer = subscribe(ant, entity_types=["task"])
    shown = status(ant, answer["subscription_id"])
    assert shown["webhook_url"] == URL
    assert not {"webhook_secret", "nonce", "credential"} & shown.keys()
    assert answer["webhook_secret"] not in str(shown)


def test_a_foreign_subscription_is_a_404_and_an_operator_sees_all() -> None:
    mine = subscribe(agent("ant"), entity_types=["task"])["subscription_id"]
    for scopes in (("report",), ("read", "read:private", "write"), ("maintain",)):
        with pytest.raises(NotFound):
            status(agent("bee", *scopes), mine)
    root = User.objects.create_superuser("root")
    operator = Caller(from_api_token(bootstrap.mint(user=root, scopes=["operate"])), "rest")
    assert status(operator, mine)["subscription_id"] == mine


def test_a_guest_reads_what_it_made_with_its_token() -> None:
    mine = thread("mine")
    token, other = guest(mine), guest(mine)
    subscription_id = subscribe(formica(), guest_access_token=token)["subscription_id"]
    assert status(formica(), subscription_id, guest_access_token=token)["entity_ids"] == [mine]
    listed = call("list_subscriptions", {"guest_access_token": token}, formica())
    assert [one["subscription_id"] for one in listed["subscriptions"]] == [subscription_id]
    assert call("list_subscriptions", {"guest_access_token": other}, formica())["subscriptions"] == []


def test_a_list_is_ones_own_newest_first_page_by_page() -> None:
    ant = agent("ant")
    made = [subscribe(ant, entity_types=["task"])["subscription_id"] for _ in range(5)]
    subscribe(agent("bee"), entity_types=["task"])
    call("unsubscribe", {"subscription_id": made[4]}, ant)
    seen: list[str] = []
    cursor = None
    while True:
        page = call("list_subscriptions", {"limit": 2, "cursor": cursor}, ant)
        assert page["total"] == 5
        seen += [one["subscription_id"] for one in page["subscriptions"]]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert seen == made[::-1]
    active = call("list_subscriptions", {"active": True}, ant)["subscriptions"]
    assert [one["subscription_id"] for one in active] == made[3::-1]


def test_a_list_costs_the_same_queries_however_long() -> None:
    ant = agent("ant")
    counted = []
    for number in range(20):
        subscribe(ant, entity_types=["task"])
        if number in (0, 19):
            with CaptureQueriesContext(connection) as queries:
                listed = call("list_subscriptions", {}, ant)
            assert len(listed["subscriptions"]) == number + 1
            counted.append(len(queries))
    assert counted[0] == counted[1]

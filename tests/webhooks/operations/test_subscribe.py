"""Subscribe: what is refused, what a guest may, and the secret that is never stored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core import serializers

from neotoma.access.authenticate import GuestTokenInvalid
from neotoma.access.policy import AuthenticationRequired
from neotoma.access.principals import ANONYMOUS
from neotoma.operations.invoke import Caller, call
from neotoma.operations.models import AuditEntry, Call
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import InvalidInput, NotFound
from neotoma.substrate.models import Entity, Event, Observation
from tests.support.targets import forbidden
from tests.webhooks.world import URL, agent, formica, guest, put, store, subscribe, thread
from webhooks.addresses import ForbiddenTarget
from webhooks.models import Subscription
from webhooks.operations.subscribe import CAP, TooManySubscriptions
from webhooks.schemas import SUBSCRIPTION

pytestmark = pytest.mark.django_db


def put_message(thread_id: str) -> list[str]:
    return put(Draft("remark", {"body": "why"}, key=f"new:{thread_id}", visibility="private", thread_id=thread_id))


def test_an_answer_has_id_secret_and_cursor() -> None:
    ant = agent("ant")
    store(ant, title="dig")
    last = Event.objects.latest("seq").seq
    answer = subscribe(ant, entity_types=["task"])
    assert answer["subscription_id"].startswith("ent_")
    assert answer["webhook_secret"].startswith("whsec_")
    assert answer["cursor"] == last
    row = Subscription.objects.get(pk=answer["subscription_id"])
    assert (row.owner, row.credential) == (ant.principal.actor.key, ant.principal.credential)


def test_a_stream_has_a_cursor_and_no_secret() -> None:
    answer = call("subscribe", {"delivery_method": "sse", "entity_types": ["task"]}, agent("ant"))
    assert "webhook_secret" not in answer
    assert answer["cursor"] == 0


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"delivery_method": "sse"}, "arguments"),
        ({"delivery_method": "sse", "exclude_self": True}, "arguments"),
        ({"delivery_method": "sse", "event_types": ["entity.exploded"]}, "event_types"),
        ({"delivery_method": "webhook", "entity_types": ["task"]}, "webhook_url"),
        ({"delivery_method": "sse", "entity_types": ["task"], "webhook_url": URL}, "webhook_url"),
        ({"delivery_method": "pigeon", "entity_types": ["task"]}, "delivery_method"),
        ({"delivery_method": "sse", "entity_ids": ["ent_1"]}, "entity_ids.0"),
        ({"delivery_method": "sse", "entity_types": [""]}, "entity_types.0"),
        ({"delivery_method": "sse", "entity_types": ["task"], "filters": {}}, "filters"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(arguments: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        call("subscribe", arguments, agent("ant"))
    assert [field["path"] for field in refused.value.details["fields"]] == [path]
    assert not Subscription.objects.exists()


def test_targets_off_the_public_internet_are_refused_with_one_code(settings: Any) -> None:
    settings.NEOTOMA_ALLOW_LOCAL_WEBHOOKS = False
    ant = agent("ant")
    urls = [url for url in forbidden(8000) if url][::7]
    codes = set()
    for url in urls:
        with pytest.raises(ForbiddenTarget) as refused:
            subscribe(ant, entity_types=["task"], webhook_url=url)
        codes.add(refused.value.error_code)
    assert codes == {"WEBHOOK_TARGET_FORBIDDEN"}
    assert not Entity.objects.filter(entity_type="subscription").exists()


def test_unknown_and_invisible_entities_are_the_same_404() -> None:
    private, unknown = thread("private"), "ent_" + "0" * 24
    refusals = []
    for entity_id in (private, unknown):
        with pytest.raises(NotFound) as refused:
            subscribe(agent("rita", "report"), entity_ids=[entity_id])
        refusals.append(json.dumps(refused.value.body()).replace(entity_id, "ID"))
    assert refusals[0] == refusals[1]


def test_a_merged_entity_stands_for_what_it_became() -> None:
    kept, gone = store(agent("ant"), title="kept"), store(agent("ant"), title="gone")
    call("merge_entities", {"from_entity_id": gone, "to_entity_id": kept}, agent("ant"))
    answer = subscribe(agent("ant"), entity_ids=[gone])
    assert answer["entity_ids"] == [kept]


def test_a_guest_subscribes_to_exactly_its_thread() -> None:
    mine, other = thread("mine"), thread("other", visibility="public")
    (inside,) = put_message(mine)
    token = guest(mine)
    assert subscribe(formica(), guest_access_token=token)["entity_ids"] == [mine]
    assert subscribe(formica(), guest_access_token=token, entity_ids=[inside])["entity_ids"] == [inside]
    with pytest.raises(NotFound):
        subscribe(formica(), guest_access_token=token, entity_ids=[mine, other])
    assert {row.credential.partition(":")[0] for row in Subscription.objects.all()} == {"guest"}


def test_a_bad_guest_token_never_falls_back_to_the_header() -> None:
    with pytest.raises(GuestTokenInvalid):
        subscribe(formica(), guest_access_token="gst_made_up", entity_types=["task"])


def test_nobody_subscribes_without_a_credential() -> None:
    with pytest.raises(AuthenticationRequired):
        subscribe(Caller(ANONYMOUS, "rest"), entity_types=["task"])


def test_the_secret_is_nowhere_in_the_database() -> None:
    ant = agent("ant")
    secret = subscribe(ant, entity_types=["task"], idempotency_key="k1")["webhook_secret"]
    tables = (Entity, Observation, Event, Subscription, Call, AuditEntry)
    held = "".join(serializers.serialize("json", table.objects.all()) for table in tables)
    assert "entity_types" in held
    assert secret not in held
    assert secret.removeprefix("whsec_") not in held


def test_a_replay_answers_the_same_secret_and_makes_no_second_subscription() -> None:
    ant = agent("ant")
    first = subscribe(ant, entity_types=["task"], idempotency_key="k1")
    again = subscribe(ant, entity_types=["task"], idempotency_key="k1")
    assert again == {**first, "replayed": True}
    assert Subscription.objects.count() == 1


def test_two_subscriptions_have_two_secrets() -> None:
    ant = agent("ant")
    secrets = {subscribe(ant, entity_types=["task"])["webhook_secret"] for _ in range(3)}
    assert len(secrets) == 3


def test_an_actor_has_so_many_active_subscriptions_and_no_more() -> None:
    ant = agent("ant")
    made = [subscribe(ant, entity_types=["task"])["subscription_id"] for _ in range(CAP)]
    with pytest.raises(TooManySubscriptions):
        subscribe(ant, entity_types=["task"])
    subscribe(agent("bee"), entity_types=["task"])
    call("unsubscribe", {"subscription_id": made[0]}, ant)
    assert subscribe(ant, entity_types=["task"])["subscription_id"] not in made


def test_the_subscription_is_private_to_its_owner() -> None:
    ant, bee = agent("ant"), agent("bee")
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    assert call("retrieve_entity_snapshot", {"entity_id": mine}, ant)["entity_type"] == "subscription"
    with pytest.raises(NotFound):
        call("retrieve_entity_snapshot", {"entity_id": mine}, bee)


def test_what_others_read_names_neither_the_address_nor_what_proves_it() -> None:
    ant = agent("ant")
    made = subscribe(ant, entity_types=["task"])["subscription_id"]
    held = Entity.objects.get(pk=made).snapshot
    auditor = agent("auditor", "read", "read:private")
    events = call("list_events", {"entity_types": ["subscription"]}, auditor)["events"]
    assert {event["entity_id"] for event in events} == {made}
    assert "delivery_method" in str(events)
    found = call("retrieve_entities", {"entity_type": "subscription", "search": "hooks.example.com"}, auditor)
    assert found["entities"] == []
    assert SUBSCRIPTION.shown(held)["delivery_method"] == "webhook"
    for told in (str(events), str(SUBSCRIPTION.shown(held))):
        assert not [name for name in ("credential", "nonce", "webhook_url") if name in told or held[name] in told]

"""Subscribing in the call that files an issue."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.conf import LazySettings

from neotoma.access.models import GuestToken
from neotoma.operations.invoke import call
from neotoma.operations.models import AuditEntry, Call
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Entity, Event
from tests.support import callers
from webhooks.models import Subscription

pytestmark = pytest.mark.django_db

URL = "https://hooks.example.com/neotoma"
HOOK = {"subscribe": "webhook", "webhook_url": URL}
KEY = "3f1c7a52-6a55-4c19-9a52-0a4a6f0c9d11"


def everything() -> str:
    return "".join(str(list(model._default_manager.values())) for model in apps.get_models())


def test_nobody_is_subscribed_unasked() -> None:
    assert "subscription" not in callers.filed(callers.reporter())
    assert not Subscription.objects.exists()


def test_a_reporter_subscribes_to_exactly_its_own_issue() -> None:
    reporter = callers.reporter()
    filed = callers.filed(reporter, subscribe="sse")
    answer, row = filed["subscription"], Subscription.objects.get()
    assert answer == {"subscription_id": row.pk, "delivery_method": "sse", "cursor": row.start_seq}
    assert row.start_seq < Event.objects.filter(entity_id=filed["entity_id"]).earliest("seq").seq
    assert (row.entity_ids, row.owner) == ([filed["entity_id"]], reporter.principal.actor.key)
    assert row.credential == reporter.principal.credential
    assert AuditEntry.objects.get(operation="subscribe").subject == row.pk
    shown = call("get_subscription_status", {"subscription_id": row.pk}, reporter)
    assert shown["subscription"]["entity_ids"] == [filed["entity_id"]]


def test_an_anonymous_subscription_hangs_on_the_grant_just_opened() -> None:
    filed = callers.filed(callers.anonymous(), **HOOK)
    row, grant = Subscription.objects.get(), GuestToken.objects.get()
    assert (row.credential, row.owner) == (f"guest:{grant.pk}", f"guest:{grant.pk}")
    assert (row.entity_ids, row.webhook_url) == ([filed["entity_id"]], URL)
    guest = callers.guest(filed["guest_access_token"])
    assert call("list_subscriptions", {}, guest)["subscriptions"][0]["subscription_id"] == row.pk
    other = callers.guest(callers.filed(callers.anonymous())["guest_access_token"])
    assert call("list_subscriptions", {}, other)["subscriptions"] == []


@pytest.mark.parametrize("caller", [callers.anonymous, callers.reporter])
def test_a_repeat_answers_the_secret_that_is_nowhere_stored(caller: Any) -> None:
    who = caller()
    first = callers.filed(who, **HOOK, idempotency_key=KEY)
    secret = first["subscription"]["webhook_secret"]
    assert secret.startswith("whsec_")
    again = callers.filed(who, **HOOK, idempotency_key=KEY)
    assert again == {**first, "replayed": True}
    assert Subscription.objects.count() == 1
    assert "webhook_secret" not in Call.objects.get().answer["subscription"]
    assert secret.removeprefix("whsec_") not in everything()


def test_a_repeat_after_the_grant_was_revoked_has_no_secrets() -> None:
    first = callers.filed(callers.anonymous(), **HOOK, idempotency_key=KEY)
    GuestToken.objects.update(revoked_at=Event.objects.latest("seq").created_at)
    again = callers.filed(callers.anonymous(), **HOOK, idempotency_key=KEY)
    assert again["subscription"]["subscription_id"] == first["subscription"]["subscription_id"]
    assert "webhook_secret" not in again["subscription"]
    assert "guest_access_token" not in again


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"subscribe": "webhook"}, "webhook_url"),
        ({"subscribe": "sse", "webhook_url": URL}, "webhook_url"),
        ({"webhook_url": URL}, "webhook_url"),
        ({"subscribe": "pigeon"}, "subscribe"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name_and_writes_nothing(more: dict[str, str], path: str) -> None:
    with pytest.raises(Refusal) as refused:
        callers.filed(callers.reporter(), **more)
    assert (refused.value.status, refused.value.details["fields"][0]["path"]) == (422, path)
    assert not Entity.objects.exists()


def test_a_forbidden_target_refuses_the_whole_submission(settings: LazySettings) -> None:
    settings.NEOTOMA_ALLOW_LOCAL_WEBHOOKS = False
    with pytest.raises(Refusal) as refused:
        callers.filed(callers.anonymous(), subscribe="webhook", webhook_url="https://127.0.0.1/hook")
    assert refused.value.error_code == "WEBHOOK_TARGET_FORBIDDEN"
    assert not Entity.objects.exists()
    assert not GuestToken.objects.exists()

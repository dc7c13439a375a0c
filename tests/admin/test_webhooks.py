"""Subscriptions and deliveries on their pages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone

from neotoma.operations.invoke import call
from neotoma.substrate.models import Event
from tests.admin.conftest import Staff
from tests.support.callers import agent, stored
from webhooks.admin import address
from webhooks.models import Delivery, Subscription

URL = "https://hooks.example.org/in?key=secret-of-the-receiver"


@pytest.fixture
def delivery(db: None) -> Delivery:
    with override_settings(NEOTOMA_ALLOW_LOCAL_WEBHOOKS=True):
        arguments = {"entity_types": ["task"], "delivery_method": "webhook", "webhook_url": URL}
        subscription = call("subscribe", arguments, agent())["subscription_id"]
    entity = stored(agent(), title="Renew passport")
    event = Event.objects.get(entity_id=entity, event_type="entity.created")
    now = timezone.now()
    return Delivery.objects.create(
        subscription_id=subscription, seq=event.seq, outcome="failed", due_at=now, attempted_at=now,
        created_at=now - timedelta(milliseconds=1500), http_status=500, duration_ms=412, error="status",
        response_head="<script>alert(1)</script>",
    )  # fmt: skip


def test_a_delivery_shows_outcome_timing_payload_and_answer(delivery: Delivery, boss: Staff) -> None:
    page = boss.page(f"webhooks/delivery/{delivery.pk}/change/")
    for shown in ("failed", "500", "412 ms", "1500 ms", "https://hooks.example.org/in?…", delivery.delivery_id):
        assert shown in page
    assert "&quot;type&quot;: &quot;entity.created&quot;" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "secret-of-the-receiver" not in page


def test_deliveries_are_filtered_and_found(delivery: Delivery, boss: Staff) -> None:
    shown = f"dlv_{delivery.pk} of evt_{delivery.seq}"
    assert shown in boss.page("webhooks/delivery/", outcome="failed")
    assert shown not in boss.page("webhooks/delivery/", outcome="delivered")
    for term in (delivery.delivery_id, f"evt_{delivery.seq}", delivery.subscription_id):
        assert shown in boss.page("webhooks/delivery/", q=term)
    assert shown not in boss.page("webhooks/delivery/", q="evt_999999")


def test_nothing_sends_again(delivery: Delivery, boss: Staff) -> None:
    assert 'name="button"' not in boss.page(f"webhooks/delivery/{delivery.pk}/change/")
    boss.press(f"webhooks/delivery/{delivery.pk}/change/", "redeliver")
    delivery.refresh_from_db()
    assert delivery.outcome == "failed"


def test_a_subscription_shows_its_deliveries_and_is_ended(delivery: Delivery, boss: Staff) -> None:
    where = f"webhooks/subscription/{delivery.subscription_id}/change/"
    page = boss.page(where)
    assert delivery.delivery_id in page
    assert "secret-of-the-receiver" not in page
    boss.press(where, "unsubscribe")
    assert not Subscription.objects.get(pk=delivery.subscription_id).active
    assert 'value="unsubscribe"' not in boss.page(where)


def test_no_page_shows_what_the_type_hides(delivery: Delivery, boss: Staff) -> None:
    held = Subscription.objects.get(pk=delivery.subscription_id)
    entity, own = f"substrate/entity/{held.pk}/change/", f"webhooks/subscription/{held.pk}/change/"
    for path in (entity, own, "substrate/entity/", "webhooks/subscription/", "webhooks/delivery/", "substrate/event/"):
        shown = boss.page(path)
        assert "secret-of-the-receiver" not in shown
        assert held.nonce not in shown
    assert held.credential not in boss.page(entity)
    assert boss.page(entity).count("not shown") == 6  # three fields, in the snapshot and in its one observation


def test_what_is_hidden_in_an_address_cannot_be_guessed_by_searching(delivery: Delivery, boss: Staff) -> None:
    assert "https://hooks.example.org/in?…" in boss.page("webhooks/subscription/", q="hooks.example.org/in")
    assert "https://hooks.example.org/in?…" not in boss.page("webhooks/subscription/", q="secret-of")


def test_the_front_page_counts_failures(delivery: Delivery, boss: Staff) -> None:
    assert '<b>1</b><span class="label">failed</span>' in boss.page("")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.example/x", "https://a.example/x"),
        ("https://a.example:8443/x?token=1", "https://a.example:8443/x?…"),
        ("https://user:word@a.example/x", "https://a.example/x"),
        ("https://a.example/api/v2/neotoma-events", "https://a.example/api/v2/neotoma-events"),
        ("https://hooks.a.example/services/T01AB/B02CD/x7Gh2k", "https://hooks.a.example/services/…"),
        ("https://a.example/0f3b9c/in", "https://a.example/…"),
    ],
)
def test_what_may_be_secret_in_an_address_is_left_out(url: str, shown: str) -> None:
    assert address(url) == shown

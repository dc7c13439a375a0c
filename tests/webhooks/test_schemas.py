"""The projection is derived: bringing it up again changes nothing."""

from __future__ import annotations

import pytest
from django.forms.models import model_to_dict

from neotoma.substrate.errors import ManagedType
from neotoma.substrate.models import Entity
from tests.webhooks.world import agent, fan_out, store, subscribe
from webhooks.models import Delivery, Subscription, Watch
from webhooks.schemas import project_subscriptions

pytestmark = pytest.mark.django_db


def test_projecting_again_changes_nothing_and_keeps_deliveries() -> None:
    ant = agent("ant")
    subscribe(ant, entity_types=["task", "note"])
    subscribe(ant, event_types=["observation.created"])
    store(ant, title="dig")
    assert len(fan_out()) == 3  # the second subscription hears of its own making too
    rows = [model_to_dict(row) for row in Subscription.objects.order_by("pk")]
    watches = sorted(Watch.objects.values_list("subscription", "kind", "value"))
    deliveries = Delivery.objects.count()
    project_subscriptions(list(Entity.objects.filter(entity_type="subscription")))
    assert [model_to_dict(row) for row in Subscription.objects.order_by("pk")] == rows
    assert sorted(Watch.objects.values_list("subscription", "kind", "value")) == watches
    assert Delivery.objects.count() == deliveries
    assert len(rows) == 2


def test_the_whole_projection_comes_from_the_snapshot() -> None:
    ant = agent("ant")
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    before = model_to_dict(Subscription.objects.get(pk=mine))
    Subscription.objects.filter(pk=mine).update(owner="x", entity_types=[], active=False, webhook_url="y")
    project_subscriptions([Entity.objects.get(pk=mine)])
    assert model_to_dict(Subscription.objects.get(pk=mine)) == before


def test_a_generic_write_names_the_operations_to_use() -> None:
    ant = agent("ant")
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    with pytest.raises(ManagedType) as refused:
        store(ant, entity_type="subscription", target_id=mine, webhook_url="https://else.example.com")
    assert refused.value.details["use"] == ["subscribe", "unsubscribe"]

"""A database that somebody else keeps busy holds up deliveries; it neither loses an outcome nor raises an alarm."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from neotoma import environment
from tests.faults.holding import long_transaction
from tests.support.databases import closing_connections, connected_to, migrated_copy, on_postgres
from tests.support.receiver import receiver
from tests.webhooks.world import agent, fan_out, store, subscribe
from webhooks.attempts import attempt, claim_next
from webhooks.models import Delivery, Outcome
from webhooks.tasks import deliver

pytestmark = pytest.mark.skipif(on_postgres(), reason="PostgreSQL lets several writers in at once")


@pytest.fixture(autouse=True)
def db(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: Any,
) -> Iterator[str]:
    """A database file of the test's own, in which a writer waits only a moment for another."""
    settings.NEOTOMA_ALLOW_LOCAL_WEBHOOKS = True
    monkeypatch.setitem(environment.SQLITE_OPTIONS, "timeout", 0.2)
    with django_db_blocker.unblock(), migrated_copy(tmp_path) as found, connected_to(found):
        yield found


def test_the_outcome_of_an_attempt_is_kept_until_it_can_be_written(db: str) -> None:
    ant = agent("ant")

    def attempted(subscription_id: str) -> None:
        with closing_connections():
            claim = claim_next(subscription_id)
            assert claim is not None
            attempt(claim)

    with receiver(delay_s=0.3) as hook, ThreadPoolExecutor(1) as pool:
        mine = subscribe(ant, entity_types=["task"], webhook_url=hook.url)["subscription_id"]
        store(ant, title="dig")
        fan_out()
        connection.close()
        done = pool.submit(attempted, mine)
        hook.wait_for(1)
        with long_transaction(db):
            time.sleep(1.5)
        done.result()
    assert Delivery.objects.get().outcome == Outcome.DELIVERED
    assert len(hook.requests) == 1


def test_a_message_that_finds_the_database_busy_leaves_its_row_to_the_sweep(db: str) -> None:
    ant = agent("ant")
    with receiver() as hook:
        subscribe(ant, entity_types=["task"], webhook_url=hook.url)
        store(ant, title="dig")
        [delivery] = fan_out()
        with long_transaction(db):
            assert deliver(delivery.pk) == 0
        assert Delivery.objects.get().outcome == Outcome.PENDING
        assert deliver(delivery.pk) == 1
    assert Delivery.objects.get().outcome == Outcome.DELIVERED

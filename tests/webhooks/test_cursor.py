"""What a subscription's cursor promises: every event after it is delivered, also what committed while it was made."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from pytest_django import DjangoDbBlocker

from neotoma.operations.invoke import Busy, Caller
from neotoma.operations.models import Call
from neotoma.substrate.models import Event
from tests.support.databases import closing_connections, connected_to, migrated_copy, on_postgres
from tests.webhooks.world import agent, fan_out, store, subscribe
from webhooks.models import Delivery, Subscription

KEY = "the-key-of-both"


@pytest.fixture(autouse=True)
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[None]:
    """A copy of the migrated database that the test has to itself, without a transaction around the test."""
    with django_db_blocker.unblock(), migrated_copy(tmp_path) as url, connected_to(url):
        yield


def in_thread(pool: ThreadPoolExecutor, job: Callable[[], Any]) -> Any:
    """Run it on a connection of its own."""

    def one() -> Any:
        with closing_connections():
            return job()

    return pool.submit(one)


def owed(subscription: Subscription) -> list[int]:
    """Seqs of the events after its cursor that it asked for."""
    wanted = Event.objects.filter(subscription.filter.q(), seq__gt=subscription.start_seq)
    return list(wanted.order_by("seq").values_list("seq", flat=True))


def delivered(subscription: Subscription) -> list[int]:
    return list(Delivery.objects.filter(subscription=subscription).order_by("seq").values_list("seq", flat=True))


def same_key_in_another_transaction(caller: Caller) -> Call:
    now = datetime.now(UTC)
    return Call.objects.create(
        actor_key=caller.principal.actor.key,
        operation="subscribe",
        key=KEY,
        request_digest="",
        answer={},
        created_at=now,
        expires_at=now + timedelta(hours=1),
    )


def waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # a transaction else keeps its first look at the others
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return bool(cursor.fetchone()[0])


@pytest.mark.postgres
@pytest.mark.skipif(not on_postgres(), reason="SQLite lets no two write transactions overlap")
def test_what_commits_and_is_fanned_out_while_a_subscription_is_made_is_delivered() -> None:
    """The subscription has its cursor and waits for a lock; meanwhile somebody stores and the consumer goes past it."""
    ant, bee = agent("ant"), agent("bee")
    store(bee, title="before")
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            same_key_in_another_transaction(ant)
            answer = in_thread(pool, lambda: subscribe(ant, entity_types=["task"], idempotency_key=KEY))
            ends = time.monotonic() + 30
            while not waits_for_a_lock():
                assert time.monotonic() < ends and not answer.done()
                time.sleep(0.01)
            with ThreadPoolExecutor(1) as others:
                in_thread(others, lambda: store(bee, title="meanwhile")).result()
                in_thread(others, fan_out).result()
            transaction.set_rollback(True)
        made = Subscription.objects.get(pk=answer.result()["subscription_id"])
    store(bee, title="after")
    fan_out()
    assert len(owed(made)) == 2
    assert delivered(made) == owed(made)


def test_subscribing_in_the_middle_of_traffic_skips_nothing() -> None:
    bees, done, names = [agent(f"bee{number}") for number in range(3)], threading.Event(), itertools.count()

    def keep_on(job: Callable[[], object]) -> None:
        while not done.is_set():
            with suppress(OperationalError, Busy):  # somebody else holds the database for longer than one waits
                job()

    def dig(bee: Caller) -> None:
        store(bee, title=f"dig {next(names)}")

    with ThreadPoolExecutor(5) as pool:
        jobs: list[Callable[[], object]] = [*(partial(dig, bee) for bee in bees), fan_out]
        busy = [in_thread(pool, partial(keep_on, job)) for job in jobs]
        ants = [agent(f"ant{number}") for number in range(15)]
        answers = [in_thread(pool, partial(subscribe, ant, entity_types=["task"])).result() for ant in ants]
        done.set()
        for one in busy:
            one.result()
    fan_out()
    made = list(Subscription.objects.all())
    assert sorted(one.start_seq for one in made) == sorted(answer["cursor"] for answer in answers)
    assert [delivered(one) for one in made] == [owed(one) for one in made]
    assert all(owed(one) for one in made[:5])

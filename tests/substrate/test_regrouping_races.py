"""A merge and other writes at the same time: whoever comes second sees what the first one did."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from neotoma.operations.invoke import Caller, call
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Edge
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Entity, Relationship
from neotoma.substrate.store import Write, open_write
from tests.support import callers
from tests.support.databases import closing_connections, connected_to, migrated_copy, on_postgres

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(not on_postgres(), reason="SQLite lets no two write transactions overlap"),
]


@pytest.fixture
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[None]:
    """A copy of the migrated database, without a transaction around the test."""
    with django_db_blocker.unblock(), migrated_copy(tmp_path) as url, connected_to(url):
        yield


@pytest.fixture
def ant(db: None) -> Caller:
    return callers.agent()


def merge(ant: Caller, gone: str, kept: str) -> dict[str, Any]:
    return call("merge_entities", {"from_entity_id": gone, "to_entity_id": kept}, ant)


def relate(ant: Caller, source: str, target: str) -> dict[str, Any]:
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": source, "target_entity_id": target}
    return call("create_relationships", {"relationships": [edge]}, ant)


def second(pool: ThreadPoolExecutor, first: Callable[[], object], then: Callable[[], object]) -> Future[object]:
    """`first` in a transaction that ends once `then`, in another thread, waits for it or is through."""

    def body() -> object:
        with closing_connections():
            return then()

    with transaction.atomic():
        first()
        answer = pool.submit(body)
        ends = time.monotonic() + 30
        while not answer.done() and not waits_for_a_lock():
            assert time.monotonic() < ends
            time.sleep(0.01)
    return answer


def waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return bool(cursor.fetchone()[0])


def edges() -> list[tuple[str, str]]:
    return list(Relationship.objects.filter(deleted_at=None).values_list("source_id", "target_id"))


@pytest.mark.parametrize("merge_first", [True, False])
def test_no_edge_is_left_at_what_was_merged_meanwhile(ant: Caller, merge_first: bool) -> None:
    gone, kept, other = (callers.stored(ant, title=title) for title in ("gone", "kept", "other"))
    jobs = [lambda: merge(ant, gone, kept), lambda: relate(ant, other, gone)]
    with ThreadPoolExecutor(1) as pool:
        second(pool, *(jobs if merge_first else jobs[::-1])).result()
    assert edges() == [(other, kept)]


@pytest.mark.parametrize("merge_first", [True, False])
def test_no_fact_is_lost_to_a_merge_meanwhile(ant: Caller, merge_first: bool) -> None:
    gone, kept = callers.stored(ant, title="gone"), callers.stored(ant, title="kept")
    jobs: list[Callable[[], object]] = [
        lambda: merge(ant, gone, kept),
        lambda: callers.stored(ant, title="gone", n=1),
    ]
    with ThreadPoolExecutor(1) as pool:
        second(pool, *(jobs if merge_first else jobs[::-1])).result()
    found = call("retrieve_entity_snapshot", {"entity_id": gone}, ant)
    assert (found["entity_id"], found["snapshot"]["n"], found["observation_count"]) == (kept, 1, 3)


def test_chains_made_at_the_same_time_end_at_one_root(ant: Caller) -> None:
    a, b, c = (callers.stored(ant, title=title) for title in "abc")
    with ThreadPoolExecutor(1) as pool:
        second(pool, lambda: merge(ant, b, c), lambda: merge(ant, a, b)).result()
    roots = [call("retrieve_entity_snapshot", {"entity_id": pk}, ant)["entity_id"] for pk in (a, b, c)]
    assert roots == [c, c, c]


def test_who_states_an_edge_does_not_hold_up_who_writes_its_ends(ant: Caller) -> None:
    one, hub = callers.stored(ant, title="one"), callers.stored(ant, title="hub")

    def body() -> str:
        with closing_connections(), transaction.atomic():
            return Write(SYSTEM, timezone.now()).lock(hub).pk

    with ThreadPoolExecutor(1) as pool, open_write(SYSTEM, timezone.now()) as write:
        write.link([Edge("REFERS_TO", one, hub)])
        assert pool.submit(body).result(timeout=20) == hub


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("correct", {"field": "title", "value": "mine"}),
    ("delete_entity", {}),
]


@pytest.mark.parametrize(("operation", "arguments"), CHANGES)
def test_a_reporter_does_not_follow_a_merge_into_what_is_not_its_own(
    ant: Caller, operation: str, arguments: dict[str, Any]
) -> None:
    bee = callers.reporter()
    own, foreign = callers.stored(bee, title="own"), callers.stored(ant, title="foreign")
    before = Entity.objects.get(pk=foreign).snapshot
    change = {"entity_id": own, **arguments}
    with ThreadPoolExecutor(1) as pool:
        answer = second(pool, lambda: merge(ant, own, foreign), lambda: call(operation, change, bee))
        with pytest.raises(Refusal) as refused:
            answer.result(timeout=30)
    assert refused.value.error_code in ("NOT_FOUND", "NOT_YOURS")
    after = Entity.objects.get(pk=foreign)
    assert (after.deleted_at, after.snapshot["title"]) == (None, before["title"])


def test_a_reporter_states_no_edge_of_what_its_entity_was_merged_into(ant: Caller) -> None:
    bee = callers.reporter()
    own, other, foreign = (callers.stored(who, title=t) for who, t in ((bee, "own"), (bee, "other"), (ant, "foreign")))
    with ThreadPoolExecutor(1) as pool:
        answer = second(pool, lambda: merge(ant, own, foreign), lambda: relate(bee, own, other))
        with pytest.raises(Refusal):
            answer.result(timeout=30)
    assert edges() == []

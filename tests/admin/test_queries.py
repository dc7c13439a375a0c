"""Lists and pages ask the same number of questions however much there is to show."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from neotoma.adminsite.paging import MOST, CappedPaginator
from neotoma.operations.invoke import call
from neotoma.substrate.models import DeadEvent, Entity, Event
from tests.admin.conftest import Desk, Staff, propose
from tests.admin.test_who_sees_what import FOR_REVIEWERS, lists
from tests.support.callers import agent, filed, operator, stored
from triage.models import Case, Plan, Run
from webhooks.models import Delivery


def asked(look: Callable[[], object]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        look()
    return len(seen)


def grow(desk: Desk, start: int) -> None:
    """Six more of everything."""
    for number in range(start, start + 6):
        name = f"thing {number}"
        filer = agent("report", "read", "write", name=name)
        linked = stored(filer, title=name)
        issue = filed(filer, title=name, labels=[name], entity_ids_to_link=[linked, desk.linked])["entity_id"]
        plan = Plan.objects.get(pk=propose(issue))
        case = Case.objects.create(daemon_id=desk.daemon, issue_id=issue, state="planned", plan=plan)
        Run.objects.create(case=case, plan=plan, revision=1, cause_seq=number, queued_at=timezone.now(), state="failed")
        DeadEvent.objects.create(consumer="triage.intake", seq=number, error="KeyError")
        wants = {"entity_types": ["task"], "delivery_method": "webhook", "webhook_url": "https://hooks.example.org/in"}
        held = call("subscribe", wants, agent(name=name))["subscription_id"]
        Delivery.objects.create(subscription_id=held, seq=number, due_at=timezone.now())
        call("add_issue_message", {"entity_id": desk.issue, "body": name, "entity_ids_to_link": [linked]}, operator())


@pytest.fixture
def grown(desk: Desk) -> Callable[[], None]:
    grow(desk, 100)
    return lambda: grow(desk, 200)


def test_lists(desk: Desk, boss: Staff, grown: Callable[[], None]) -> None:
    def counts() -> dict[str, int]:
        return {where: asked(lambda where=where: boss.page(f"{where}/")) for where in lists()}  # type: ignore[misc]  # bound now

    counts()
    before = counts()
    grown()
    assert counts() == before
    assert max(before.values()) <= 10


def test_lists_of_a_reviewer(desk: Desk, reviewer: Staff, grown: Callable[[], None]) -> None:
    def counts() -> dict[str, int]:
        return {where: asked(lambda where=where: reviewer.page(f"{where}/")) for where in FOR_REVIEWERS}  # type: ignore[misc]  # bound now

    counts()
    before = counts()
    grown()
    assert counts() == before
    assert max(before.values()) <= 12


def test_the_front_page_and_single_pages(desk: Desk, boss: Staff, grown: Callable[[], None]) -> None:
    pages = (
        "",
        f"issues/issue/{desk.issue}/change/",
        f"triage/plan/{desk.plan}/change/",
        f"triage/daemonconfig/{desk.daemon}/change/",
        f"substrate/entity/{desk.linked}/change/",
    )

    def counts() -> dict[str, int]:
        return {path: asked(lambda path=path: boss.page(path)) for path in pages}  # type: ignore[misc]  # bound now

    counts()
    before = counts()
    grown()
    assert counts() == before
    assert max(before.values()) <= 20


def test_no_list_reads_documents(desk: Desk, boss: Staff) -> None:
    with CaptureQueriesContext(connection) as seen:
        boss.page("substrate/entity/")
        boss.page("triage/plan/")
    statements = [query["sql"] for query in seen]
    assert not [sql for sql in statements if '"snapshot"' in sql or '"provenance"' in sql]


def test_counting_stops_at_a_bound(desk: Desk) -> None:
    pages = CappedPaginator(Event.objects.order_by("-seq"), 50)
    with CaptureQueriesContext(connection) as seen:
        assert pages.count == Event.objects.count()
    assert f"LIMIT {MOST}" in seen[0]["sql"]


def test_no_list_counts_the_whole_table(desk: Desk, boss: Staff) -> None:
    Entity.objects.first()
    with CaptureQueriesContext(connection) as seen:
        for where in lists():
            boss.page(f"{where}/")
    counted = [query["sql"] for query in seen if "COUNT(*)" in query["sql"]]
    assert counted
    assert [sql for sql in counted if "LIMIT" not in sql] == []

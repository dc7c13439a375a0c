"""Issue numbers under parallel submissions, some of them rolled back."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection, transaction

from issues.models import Issue
from neotoma.operations.invoke import Busy, Caller, call
from neotoma.substrate.errors import NotFound
from tests.support import callers
from tests.support.databases import closing_connections

PARALLEL = 30
ROLLED_BACK = 5


def _submit(reporter: Caller, number: int) -> int:
    """The number that was given out, also when the transaction around it is undone; a busy database is asked again."""
    with closing_connections():
        while True:
            try:
                with transaction.atomic():
                    answer = callers.filed(reporter, title=f"report {number}", body=f"Field {number} is lost.")
                    transaction.set_rollback(number < ROLLED_BACK)
                    return int(answer["issue_number"])
            except (Busy, OperationalError):
                continue


@pytest.mark.usefixtures("committed")
def test_parallel_submissions_get_distinct_numbers() -> None:
    reporter = callers.reporter()
    with ThreadPoolExecutor(PARALLEL) as pool:
        given = list(pool.map(lambda number: _submit(reporter, number), range(PARALLEL)))
    stored = list(Issue.objects.values_list("number", flat=True))
    assert len(stored) == PARALLEL - ROLLED_BACK
    assert sorted(stored) == sorted(set(given[ROLLED_BACK:]))
    _look_up_each(max(given) + 1)


def _look_up_each(end: int) -> None:
    """Every number is one issue or none; looking it up never fails otherwise."""
    found = set()
    for number in range(1, end + 1):
        try:
            found.add(call("get_issue_status", {"issue_number": number}, callers.operator())["issue_number"])
        except NotFound:
            assert not Issue.objects.filter(number=number).exists()
    assert len(found) == PARALLEL - ROLLED_BACK


@pytest.mark.usefixtures("committed")
def test_the_database_itself_keeps_numbers_unique() -> None:
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, Issue._meta.db_table)
    assert any(one["unique"] and one["columns"] == ["number"] for one in constraints.values())

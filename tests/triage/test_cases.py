from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.store import open_write
from triage import cases
from triage.daemons import ensure_default
from triage.models import Case, DaemonConfig

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def opened(**columns: Any) -> Case:
    ensure_default(NOW)
    with open_write(SYSTEM, NOW) as write:
        [stored] = write.put([Draft("note", {"title": "any"})])
    cases.open_cases(DaemonConfig.objects.get(), [(stored.entity.pk, 1)], NOW)
    Case.objects.update(**columns)
    return Case.objects.get()


def taken(case: Case, now: datetime = NOW) -> Case:
    held = cases.claim(case.pk, now)
    assert held is not None
    return held


def test_two_workers_claim_and_one_wins() -> None:
    case = opened()
    assert cases.claim(case.pk, NOW) is not None
    assert cases.claim(case.pk, NOW) is None


def test_a_case_is_opened_once() -> None:
    case = opened()
    assert cases.open_cases(case.daemon, [(case.issue_id, 2)], NOW) == 0
    assert Case.objects.get().wake_seq == 1


@pytest.mark.parametrize("state", ["previewed", "queued", "running", "done", "handed_off"])
def test_what_is_not_looked_at_is_not_claimed(state: str) -> None:
    case = opened(state=state)
    assert cases.claim(case.pk, NOW) is None


def test_a_dead_worker_gives_its_case_back() -> None:
    case = opened()
    taken(case)
    assert cases.claim(case.pk, NOW + cases.LEASE - timedelta(seconds=1)) is None
    assert taken(case, NOW + cases.LEASE).attempts == 2


def test_who_lost_the_claim_changes_nothing() -> None:
    slow = taken(opened())
    taken(slow, NOW + cases.LEASE)
    assert not cases.settle(slow, NOW, state="done")
    assert not cases.fail(slow, NOW, "LATE")
    assert Case.objects.get().state == "new"


def test_what_wakes_a_case_during_a_look_is_looked_at_next() -> None:
    held = taken(opened())
    cases.wake(Case.objects.all(), 7, NOW)
    assert cases.claim(held.pk, NOW) is None
    assert cases.settle(held, NOW, state="waiting")
    again = taken(held)
    assert (again.state, again.wake_seq, again.last_seen) == ("waiting", 7, 1)


def test_one_event_wakes_once() -> None:
    held = taken(opened())
    cases.settle(held, NOW, state="waiting")
    cases.wake(Case.objects.all(), 1, NOW)
    assert Case.objects.get().due_at is None
    cases.wake(Case.objects.all(), 2, NOW)
    assert Case.objects.get().due_at == NOW


def test_five_failures_are_a_persons_turn() -> None:
    case, now = opened(), NOW
    for _ in range(cases.TRIES):
        held = taken(case, now)
        cases.fail(held, now, "ERR_GIT_FAILED")
        now += cases.LEASE
    found = Case.objects.get()
    assert (found.state, found.error, found.due_at) == ("handed_off", "ERR_GIT_FAILED", None)


def test_five_dead_workers_are_a_persons_turn() -> None:
    case, now = opened(), NOW
    for _ in range(cases.TRIES):
        taken(case, now)
        now += cases.LEASE
    assert cases.claim(case.pk, now) is None
    assert cases.give_up(now) == 1
    assert (Case.objects.get().state, Case.objects.get().error) == ("handed_off", cases.LOST)


def test_a_look_that_was_not_allowed_counts_for_nothing() -> None:
    held = taken(opened())
    cases.give_back(held, NOW)
    found = Case.objects.get()
    assert (found.attempts, found.due_at, found.state) == (0, NOW, "new")


def test_cases_of_a_paused_daemon_are_not_due() -> None:
    case = opened()
    assert list(cases.due(NOW)) == [case]
    DaemonConfig.objects.update(active=False)
    assert list(cases.due(NOW)) == []


def test_the_age_of_the_oldest_due_case() -> None:
    assert cases.oldest_due_s() == 0
    opened()
    assert cases.oldest_due_s() > 0

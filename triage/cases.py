"""Moving cases from state to state by guarded updates: who changes a row counts the rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Min, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf
from django.utils import timezone

from triage.models import Case, DaemonConfig

LEASE = timedelta(minutes=10)
"""How long a look may take; a worker that dies gives its case back after that."""
BACKOFF = timedelta(seconds=30)
"""Wait after a failed look, times the number of failures."""
TRIES = 5
"""Looks that may fail before a person is asked."""
LOOKED_AT = ("new", "waiting", "planned")
"""States in which a due case is looked at; in all others `due_at` is empty."""
LOST = "WORKER_LOST"


def open_cases(daemon: DaemonConfig, issues: Sequence[tuple[str, int]], now: datetime) -> int:
    """Open a case, due at once, for each (issue id, seq of the event) that has none; answers how many."""
    before = Case.objects.filter(daemon=daemon).count()
    rows = [Case(daemon=daemon, issue_id=issue, due_at=now, wake_seq=seq, updated_at=now) for issue, seq in issues]
    Case.objects.bulk_create(rows, ignore_conflicts=True)
    return Case.objects.filter(daemon=daemon).count() - before


def claim(case_id: int, now: datetime) -> Case | None:
    """Take a due case for one look; None when it is not due or somebody else was first."""
    due = Case.objects.filter(pk=case_id, state__in=LOOKED_AT, due_at__lte=now, attempts__lt=TRIES)
    if not due.update(due_at=now + LEASE, attempts=F("attempts") + 1):
        return None
    return Case.objects.select_related("daemon", "plan", "issue").get(pk=case_id)


def settle(case: Case, now: datetime, **columns: Any) -> bool:
    """End a look; False when the case was taken away meanwhile. What woke it during the look is looked at next."""
    held = Case.objects.filter(pk=case.pk, due_at=case.due_at)
    done = {"attempts": 0, "error": "", "last_seen": case.wake_seq, "updated_at": now, **columns}
    if columns["state"] not in LOOKED_AT:
        return bool(held.update(**done, due_at=None))
    unwoken = held.filter(wake_seq=case.wake_seq)
    return bool(unwoken.update(**done, due_at=None) or held.update(**done, due_at=now))


def give_back(case: Case, now: datetime) -> bool:
    """End a look that was not allowed to happen: the case stays due, and nothing counts as a failure."""
    held = Case.objects.filter(pk=case.pk, due_at=case.due_at)
    return bool(held.update(due_at=now, attempts=case.attempts - 1))


def fail(case: Case, now: datetime, error: str) -> bool:
    """A look failed: again later, or after `TRIES` failures a person's turn."""
    held = Case.objects.filter(pk=case.pk, due_at=case.due_at)
    if case.attempts >= TRIES:
        return bool(held.update(state="handed_off", due_at=None, error=error[:200], updated_at=now))
    return bool(held.update(due_at=now + BACKOFF * case.attempts, error=error[:200], updated_at=now))


def wake(cases: QuerySet[Case], seq: int, now: datetime, states: Collection[str] = LOOKED_AT, **columns: Any) -> None:
    """Make cases in these states due because of an event; the same event wakes none twice."""
    cases.filter(state__in=states, wake_seq__lt=seq).update(
        wake_seq=seq, due_at=Coalesce(F("due_at"), Value(now)), updated_at=now, **columns
    )


def move(cases: QuerySet[Case], now: datetime, states: Collection[str], state: str, **columns: Any) -> int:
    """Put cases that are in one of these states into another in which nothing is due; answers how many."""
    return cases.filter(state__in=states).update(state=state, due_at=None, attempts=0, updated_at=now, **columns)


def given_up(now: datetime) -> QuerySet[Case]:
    """Cases whose workers died `TRIES` times."""
    return Case.objects.filter(due_at__lte=now, attempts__gte=TRIES)


def give_up(now: datetime) -> int:
    """Hand them over to a person; answers how many."""
    error = Coalesce(NullIf(F("error"), Value("")), Value(LOST))
    return given_up(now).update(state="handed_off", due_at=None, error=error, updated_at=now)


def due(now: datetime) -> QuerySet[Case]:
    """Cases that want looking at and whose daemon is not paused."""
    return Case.objects.filter(due_at__lte=now, state__in=LOOKED_AT, daemon__active=True)


def oldest_due_s() -> float:
    """Seconds that the oldest due case has waited; 0 when none is."""
    now = timezone.now()
    oldest = due(now).aggregate(oldest=Min("due_at"))["oldest"]
    return (now - oldest).total_seconds() if oldest else 0.0


def release(case: Case, now: datetime) -> bool:
    """A preview becomes work that is due; False when the case is no preview."""
    shown = Case.objects.filter(pk=case.pk, state="previewed")
    return bool(shown.update(state="new", due_at=now, preview=None, updated_at=now))

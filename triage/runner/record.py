"""What is written down of a run: its steps, its end, and what that means for the case."""

from __future__ import annotations

import logging
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from neotoma.substrate.reading import iso
from triage import cases
from triage.models import LIVE, Case, Run
from triage.progress import HANDED_OVER
from triage.tracker import Tracker

log = logging.getLogger(__name__)


def note(run: Run, name: str, **detail: Any) -> None:
    """Record a step of the run."""
    run.steps = [*run.steps, {"at": iso(timezone.now()), "name": name, "detail": detail}]
    Run.objects.filter(pk=run.pk).update(steps=run.steps)


def end(run: Run, state: str, case_state: str, *, error: str = "", outcome: str = "", again: bool = False) -> str:
    """End the run and let go of its case. `again`: the case is looked at once more."""
    if case_state == "handed_off":
        hand_over(run.case)  # first, so that a worker that dies here is found by the sweep and does it again
    now = timezone.now()
    failure = "" if state == "succeeded" else error[:200]
    live = Run.objects.filter(pk=run.pk, state__in=LIVE)
    if live.update(state=state, outcome=outcome, error=failure, finished_at=now):
        reason = error[:200] if case_state == "handed_off" else ""
        cases.move(case_of(run), now, LIVE, case_state, error=reason)
        if again:
            case_of(run).filter(state=case_state).update(due_at=now)
        if case_state == "handed_off":
            log.info("human needed: case %s, run %s: %s", run.case_id, run.pk, reason)
    return outcome or error


def hand_over(case: Case) -> None:
    """Work that was begun waits for a person, and whoever filed the issue reads so."""
    Tracker(case.daemon.name).show(case.issue_id, HANDED_OVER)


def case_of(run: Run) -> QuerySet[Case]:
    """The case that a run holds, to be changed by a guarded update."""
    return Case.objects.filter(pk=run.case_id)

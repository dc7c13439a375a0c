"""Look at cases, and on a beat find what a lost message or a dead worker left behind."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from neotoma.consumers import publish_now
from neotoma.queues import ASKED_S
from neotoma.substrate.errors import Refusal
from triage import cases
from triage.casework import Outcome, look
from triage.daemons import default_is_due, ensure_default
from triage.models import Case, Run
from triage.progress import PLANNED
from triage.runner.tasks import lost, run
from triage.runs import queue_run
from triage.tracker import Tracker

log = logging.getLogger(__name__)

GRACE = timedelta(seconds=10)
"""How long the message of a due case may take before a sweep sends another."""
BATCH = 2000
"""Rows that one sweep asks for."""


@shared_task(name="triage.tasks.assess", expires=ASKED_S)
def assess(case_id: int) -> str:
    """Look at a case once, if it is due and its daemon is not paused; answers what came of it."""
    if not Case.objects.filter(pk=case_id, daemon__active=True).exists():
        return "paused"
    case = cases.claim(case_id, timezone.now())
    if case is None:
        return "not due"
    try:
        outcome = look(case)
    except Refusal as refusal:
        log.warning("case %s failed: %s %s", case_id, refusal.error_code, refusal.message)
        _fail(case, refusal.error_code)
        return refusal.error_code
    except Exception as error:
        _fail(case, type(error).__name__)
        raise
    return _settle(case, outcome)


@shared_task(name="triage.tasks.make_default")
def make_default() -> None:
    """Make the daemon that every installation has."""
    ensure_default(timezone.now())


@shared_task(name="triage.tasks.sweep")
def sweep() -> int:
    """Hand over what cannot be helped, then ask again for what waits too long; answers how many cases."""
    now = timezone.now()
    if default_is_due():
        ensure_default(now)
    for case in cases.given_up(now).select_related("daemon"):
        _show_planned(case)
    cases.give_up(now)
    lost(now)
    late = list(cases.due(now - GRACE).order_by("due_at").values_list("pk", flat=True)[:BATCH])
    runs = Run.objects.filter(state="queued", queued_at__lte=now - GRACE, case__daemon__active=True)
    waiting = list(runs.order_by("queued_at").values_list("pk", flat=True)[:BATCH])
    publish_now((assess, {"case_id": pk}) for pk in late)
    publish_now((run, {"run_id": pk}) for pk in waiting)
    return len(late)


def _fail(case: Case, error: str) -> None:
    """The last failure puts a case into a person's hands, and its issue among what is to be done."""
    if case.attempts >= cases.TRIES:
        _show_planned(case)
    cases.fail(case, timezone.now(), error)


def _show_planned(case: Case) -> None:
    Tracker(case.daemon.name).show(case.issue_id, PLANNED)


def _settle(case: Case, outcome: Outcome | None) -> str:
    """Write the outcome of a look; what may run at once is queued and announced."""
    now = timezone.now()
    if outcome is None:
        cases.give_back(case, now)
        return "paused"
    if not cases.settle(case, now, state=outcome.state, **outcome.columns):
        return "taken away"
    if outcome.run:
        case.refresh_from_db()
        queued = case.plan and queue_run(case, case.plan, case.last_seen, now)
        publish_now([(run, {"run_id": queued.pk})] if queued else [])
    return outcome.state

"""Carry out runs; find the lost ones; tidy up behind those whose plan is settled."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from celery import shared_task

from neotoma.queues import ASKED_S
from neotoma.substrate.errors import Refusal
from triage import cases
from triage.models import LIVE, Case, Run
from triage.runner.record import hand_over, note
from triage.runner.run import carry_out
from triage.runner.worktree import close_worktree

SETTLED = ("rejected", "abandoned", "superseded", "landed")
"""Statuses of a plan after which nobody goes on in its worktrees."""


@shared_task(name="triage.runner.tasks.run", expires=ASKED_S)
def run(run_id: int) -> str:
    """Carry out a queued run; answers what came of it."""
    return carry_out(run_id)


@shared_task(name="triage.runner.tasks.tidy")
def tidy() -> int:
    """Remove untouched worktrees of settled plans; answers how many. Whatever holds work stays and is noted once."""
    left = Run.objects.exclude(worktree="").exclude(state__in=LIVE).filter(plan__status__in=SETTLED)
    return sum(_tidied(one) for one in left.select_related("case__daemon", "plan"))


def lost(now: datetime) -> int:
    """Runs whose worker died: over, and their cases go to a person; answers how many."""
    dead = Run.objects.filter(state="running", deadline_at__lt=now)
    held = [run.case for run in dead.select_related("case__daemon")]
    for case in held:
        hand_over(case)
    ended = dead.update(state="timed_out", finished_at=now, error="DEADLINE")
    own = Case.objects.filter(pk__in=[case.pk for case in held])
    cases.move(own, now, LIVE, "handed_off", error="run timed out")
    return ended


def _tidied(one: Run) -> bool:
    try:
        gone = close_worktree(Path(one.case.daemon.repo), Path(one.worktree), one.plan.base_sha)
    except Refusal as refused:
        _note_once(one, "worktree not tidied", refused.error_code)
        return False
    if gone:
        Run.objects.filter(pk=one.pk).update(worktree="")
        note(one, "worktree removed")
    else:
        _note_once(one, "worktree kept", "it holds work that is recorded nowhere else")
    return gone


def _note_once(one: Run, name: str, reason: str) -> None:
    if not any(step["name"] == name for step in one.steps):
        note(one, name, reason=reason)

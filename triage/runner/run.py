"""One run from start to end: may it start, a worktree at the plan's commit, and into a person's hands."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from neotoma.substrate.errors import NotFound, Refusal
from triage import cases
from triage.limits import agent_turns, may_start_run
from triage.models import DaemonConfig, Run
from triage.progress import BEGUN
from triage.runner.record import case_of, end, note
from triage.runner.worktree import open_worktree
from triage.runs import counts
from triage.switch import decide
from triage.tracker import Thread, Tracker


def carry_out(run_id: int) -> str:
    """Start a queued run if everything still allows it, and see it through; answers what came of it."""
    run = Run.objects.select_related("case__daemon", "plan").filter(pk=run_id, state="queued").first()
    if run is None:
        return "not queued"
    thread = _thread(run)
    if thread is None or not thread.open:
        return end(run, "stopped", "planned", error="ISSUE_CLOSED", again=True)
    refusal = start(run, agent_turns(thread.authors), timezone.now())
    if refusal is not None:
        return refusal
    Tracker(run.case.daemon.name).show(run.case.issue_id, BEGUN)
    try:
        return _prepare(run)
    except Refusal as refused:
        note(run, refused.error_code, message=refused.message, **refused.details)
        return end(run, "failed", "handed_off", error=refused.error_code)
    except Exception as error:
        end(run, "failed", "handed_off", error=type(error).__name__)
        raise


def _thread(run: Run) -> Thread | None:
    try:
        return Tracker(run.case.daemon.name).read(run.case.issue_id)
    except NotFound:
        return None


def start(run: Run, turns: int, now: datetime) -> str | None:
    """Take the run under the daemon's lock, so that counting and starting are one step; else why not."""
    with transaction.atomic():
        daemon = DaemonConfig.objects.select_for_update().get(pk=run.case.daemon_id)
        why = _why_not(run, daemon, turns, now)
        if why is not None:
            return why
        deadline = now + timedelta(seconds=settings.NEOTOMA_TASK_SECONDS)
        queued = Run.objects.filter(pk=run.pk, state="queued")
        if not queued.update(state="running", started_at=now, deadline_at=deadline):
            return "taken"
        cases.move(case_of(run), now, ("queued",), "running")
    run.refresh_from_db()
    note(run, "started")
    return None


def _why_not(run: Run, daemon: DaemonConfig, turns: int, now: datetime) -> str | None:
    """The switches and bounds of this moment. What is only too early stays queued."""
    config, plan = daemon.config, run.plan
    plan.refresh_from_db()
    if plan.revision != run.revision or plan.status not in ("proposed", "approved"):
        return end(run, "stopped", "planned", error="PLAN_CHANGED")
    word: Any = plan.classification
    decision = decide(
        config.reporting_mode,
        config.auto_fix_for(word),
        config.dry_run_for(word),
        plan.safe,
        word,
        config.active,
        approved=plan.status == "approved",
    )
    if decision.action == "ask":
        return end(run, "stopped", "planned", error="NOT_APPROVED")
    if decision.action != "run":
        return decision.reason
    allowance = may_start_run(counts(run, turns, now), config)
    if allowance.hand_off:
        return end(run, "stopped", "handed_off", error=allowance.reason)
    return None if allowance.allowed else allowance.reason


def _prepare(run: Run) -> str:
    """Without an agent's command the work is laid out for a person."""
    repo, base = run.case.daemon.repo, run.plan.base_sha
    if not repo or not base:
        note(run, "nothing to check out", repository=bool(repo), base=base)
        return end(run, "succeeded", "handed_off", outcome="no_worktree", error="no agent: a person carries it out")
    place = open_worktree(Path(repo), settings.NEOTOMA_WORKTREES, f"run-{run.pk}", base)
    Run.objects.filter(pk=run.pk).update(worktree=str(place))
    note(run, "worktree prepared", path=str(place), base=base)
    return end(run, "succeeded", "handed_off", outcome="worktree_prepared", error="no agent: a person goes on there")

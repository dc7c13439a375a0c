"""Queueing runs and counting them."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Count, Min, Q, Sum
from django.utils import timezone

from triage import cases
from triage.limits import RunCounts
from triage.models import LIVE, Case, Plan, Run

RUNNABLE = ("new", "previewed", "waiting", "planned", "done", "handed_off")
"""States of a case from which a run may be queued: all in which none is."""
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def queue_run(case: Case, plan: Plan, cause_seq: int, now: datetime) -> Run | None:
    """Queue a run of the plan as it is now; None when one is live or this event has already caused one."""
    if Run.objects.filter(plan=plan).filter(Q(cause_seq=cause_seq) | Q(state__in=LIVE)).exists():
        return None
    run = Run(case=case, plan=plan, revision=plan.revision, cause_seq=cause_seq, queued_at=now)
    Run.objects.bulk_create([run], ignore_conflicts=True)
    cases.move(Case.objects.filter(pk=case.pk), now, RUNNABLE, "queued", plan=plan, error="")
    return Run.objects.filter(plan=plan, state="queued").first()


def counts(run: Run, agent_turns: int, now: datetime) -> RunCounts:
    """What the bounds of the loop look at, for one more run of this daemon."""
    own = Run.objects.filter(case__daemon=run.case.daemon_id).exclude(pk=run.pk)
    found = own.aggregate(
        running=Count("pk", filter=Q(state="running")),
        today=Count("pk", filter=Q(started_at__gt=now - DAY)),
        cost=Sum("cost", filter=Q(started_at__gt=now - DAY)),
    )
    fruitless = own.filter(plan=run.plan_id, revision=run.revision, state__in=("failed", "timed_out"))
    return RunCounts(
        running=found["running"],
        runs_today=found["today"],
        cost_today=found["cost"] or 0.0,
        agent_turns=agent_turns,
        fruitless_runs=fruitless.count(),
    )


def oldest_queued_s() -> float:
    """Seconds that the oldest run has been queued, those of paused daemons left out; 0 when none is."""
    waiting = Run.objects.filter(state="queued", case__daemon__active=True)
    oldest = waiting.aggregate(oldest=Min("queued_at"))["oldest"]
    return (timezone.now() - oldest).total_seconds() if oldest else 0.0


def published_since(daemon: str, moment: datetime) -> int:
    """Pull requests of a daemon that left after a moment."""
    return Run.objects.filter(case__daemon__name=daemon, published_at__gt=moment).count()

"""From events to work rows. Everything here may happen twice and is done once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from neotoma.substrate.models import Event
from triage import cases
from triage.daemons import DEFAULT
from triage.limits import wakes
from triage.models import Case, DaemonConfig, Plan, Run
from triage.runs import queue_run
from triage.signals import Meaning, meaning

MAX_EARLIER = 500
"""Newest events of issues from before the default daemon was made that it still takes up."""
RESUMED = ("new", "previewed", "waiting", "planned", "done", "handed_off")
"""States of a case that a reopened issue takes up anew."""


@dataclass
class Kicks:
    """What to announce once the rows are committed: cases to look at, runs to carry out."""

    cases: set[int] = field(default_factory=set)
    runs: set[int] = field(default_factory=set)


def take(events: Sequence[Event], now: datetime) -> Kicks:
    """Write the work rows of these events; answers what became due by them, paused daemons left out."""
    kicks = Kicks()
    daemons = list(DaemonConfig.objects.order_by("name"))
    for event in events:
        word = meaning(event.event_type, event.entity_type, event.fields_changed)
        if word == "switched":
            if event.event_type == "entity.created":
                _caught_up(event, now)
            _switched(event.entity_id, event.seq, now, kicks)
        elif event.entity_type == "plan":
            _decided(word, event, now, kicks)
        elif word != "nothing":
            for daemon in daemons:
                _reported(daemon, word, event, now)
    about = {event.entity_id for event in events if event.entity_type == "issue"}
    kicks.cases.update(cases.due(now).filter(issue__in=about).values_list("pk", flat=True))
    return kicks


def _reported(daemon: DaemonConfig, word: Meaning, event: Event, now: datetime) -> None:
    """Something happened to an issue. What the daemon wrote itself, an echo and a notice start nothing."""
    echo = event.actor_kind == "mirror" and word == "answered"
    if not wakes(event.actor_key, [daemon.actor_key], echo, word == "reopened", event.actor_kind == "system"):
        return
    own = Case.objects.filter(daemon=daemon, issue=event.entity_id)
    if word in ("filed", "reopened") and daemon.event_filter.matches(event):
        cases.open_cases(daemon, [(event.entity_id, event.seq)], now)
    if word == "reopened":
        cases.wake(own, event.seq, now, RESUMED, state="new", attempts=0, error="")
    elif word in ("answered", "closed"):
        cases.wake(own, event.seq, now)
    if word == "closed":
        cases.wake(own, event.seq, now, ("previewed", "handed_off"), state="new", attempts=0, error="")


def _decided(word: Meaning, event: Event, now: datetime, kicks: Kicks) -> None:
    """A person decided on a plan: start it, let it go, or wait for the reporter."""
    plan = Plan.objects.filter(pk=event.entity_id).first()
    if plan is None or event.actor_kind == "daemon":
        return
    if word == "approved":
        kicks.runs.update(run.pk for run in _started(plan, event, now))
    own = Case.objects.filter(plan=plan)
    if word == "rejected":
        Run.objects.filter(plan=plan, state="queued").update(state="stopped", finished_at=now, error="PLAN_REJECTED")
        cases.move(own, now, (*cases.LOOKED_AT, "queued", "handed_off"), "done")
    elif word == "asked":
        cases.move(own, now, ("new", "planned"), "waiting")


def _started(plan: Plan, event: Event, now: datetime) -> Iterator[Run]:
    """The run of an approved plan; a plan that somebody else proposed gets its case now."""
    daemon = DaemonConfig.objects.get(pk=plan.daemon_id)
    cases.open_cases(daemon, [(plan.issue_id, event.seq)], now)
    run = queue_run(Case.objects.get(daemon=daemon, issue=plan.issue_id), plan, event.seq, now)
    if run is not None:
        yield run


def _caught_up(made: Event, now: datetime) -> None:
    """The default daemon stands for every issue, also for those that were filed before it was made."""
    daemon = DaemonConfig.objects.filter(pk=made.entity_id, name=DEFAULT).first()
    if daemon is None:
        return
    filed = Event.objects.filter(entity_type="issue", event_type="entity.created", seq__lt=made.seq)
    for event in reversed(filed.order_by("-seq")[:MAX_EARLIER]):
        _reported(daemon, "filed", event, now)


def _switched(daemon_id: str, seq: int, now: datetime, kicks: Kicks) -> None:
    """Switches changed: previews of kinds that are live now are acted upon, and what waited goes on."""
    daemon = DaemonConfig.objects.filter(pk=daemon_id, active=True).first()
    if daemon is None:
        return
    own = Case.objects.filter(daemon=daemon)
    config = daemon.config
    for case in own.filter(state="previewed"):
        if not config.dry_run_for(case.classification):  # type: ignore[arg-type]  # the column holds only these words
            cases.release(case, now)
    kicks.cases.update(cases.due(now).filter(daemon=daemon).values_list("pk", flat=True))
    waiting = Run.objects.filter(case__daemon=daemon, state="queued")
    kicks.runs.update(waiting.values_list("pk", flat=True))

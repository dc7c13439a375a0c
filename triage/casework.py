"""One look at one case: read, decide, and store a preview, a question or a plan."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Any, NamedTuple

from django.db.models import Q

from neotoma.substrate.errors import NotFound
from triage.assessment import assess
from triage.branches import branch_name
from triage.limits import MAX_AGENT_TURNS, agent_turns
from triage.models import Case, Plan
from triage.progress import PLANNED
from triage.questions import questions_text
from triage.schemas import Assessment, CaseState, PlanDraft, Preview
from triage.survey import Survey, look_around
from triage.switch import Decision, decide
from triage.tracker import Thread, Tracker

log = logging.getLogger(__name__)

REVISED = ("draft", "awaiting_input", "proposed")
"""Statuses of a plan that a new look may still change."""
UNDER_WAY = ("approved", "executing", "ready_to_ship", "shipped")
"""Statuses of a plan that a new look leaves alone."""
BRANCHED = ("fix", "optimise")
"""Kinds of plan that change the main line on a branch of their own."""


class Outcome(NamedTuple):
    """Where the case goes, with which columns. `run`: the plan may be carried out without asking."""

    state: CaseState
    columns: dict[str, Any]
    run: bool = False


def look(case: Case) -> Outcome | None:
    """Decide on the case as everything is now; None when the daemon is paused.

    Safe to repeat: what was written is not written again.
    """
    tracker = Tracker(case.daemon.name)
    try:
        thread = tracker.read(case.issue_id)
    except NotFound:
        return _closed(tracker, case, "the issue was withdrawn")
    if not thread.open:
        return _closed(tracker, case, "the issue was closed")
    if _plan_in(case, UNDER_WAY):
        return Outcome("planned", {})
    survey = look_around(case.daemon.repo, thread.report)
    found = assess(thread.report, tracker.open_reports(thread.report), survey.facts, survey.found)
    return _act(tracker, case, thread, survey, found)


def _act(tracker: Tracker, case: Case, thread: Thread, survey: Survey, found: Assessment) -> Outcome | None:
    """What the switches of this moment allow."""
    case.daemon.refresh_from_db()
    word = found.classification.classification
    config = case.daemon.config
    decision = decide(
        config.reporting_mode,
        config.auto_fix_for(word),
        config.dry_run_for(word),
        found.safe,
        word,
        config.active,
    )
    columns: dict[str, Any] = {"classification": word}
    if decision.action == "pause":
        return None
    if decision.action == "preview":
        return Outcome("previewed", {**columns, "preview": _preview(case, found).model_dump(mode="json")})
    stored = _store(tracker, case, survey, found)
    columns |= {"plan_id": stored["plan_id"], "preview": None}
    if found.plan.missing:
        return _ask(tracker, thread, survey, found.plan, columns)
    _planned(tracker, thread)
    _tell(case, decision, stored["plan_id"])
    return Outcome("planned", columns, run=decision.action == "run")


def _preview(case: Case, found: Assessment) -> Preview:
    plan = found.plan
    return Preview(
        classification=plan.classification,
        would_ask=questions_text(plan.missing) or None,
        would_plan=plan,
        would_mirror=found.mirror,
        would_branch=branch_name(plan.kind, case.issue_id) if plan.kind in BRANCHED and plan.base else None,
    )


def _store(tracker: Tracker, case: Case, survey: Survey, found: Assessment) -> dict[str, Any]:
    """The plan, or the next revision of the one that this case has already."""
    named: dict[str, Any] = {"issue_id": case.issue_id}
    plan = _plan_in(case, REVISED)
    if plan is not None:
        named |= {"plan_id": plan.pk, "revision": plan.revision}
    return tracker.propose(
        **named,
        plan=found.plan.model_dump(mode="json"),
        mirror=found.mirror.model_dump(mode="json"),
        base_sha=survey.base_sha(found.plan),
        tested_build=next(iter(survey.build.values())),
    )


def _ask(tracker: Tracker, thread: Thread, survey: Survey, plan: PlanDraft, columns: dict[str, Any]) -> Outcome:
    """Each detail is asked for once. What an answer did not bring, a person has to find out."""
    news = [item for item in plan.missing if item.field not in thread.asked]
    if not news and not thread.answered:
        return Outcome("waiting", columns)
    if not news:
        return _hand_off(tracker, thread, columns, f"still missing: {', '.join(item.field for item in plan.missing)}")
    turns = agent_turns(thread.authors)
    if turns >= MAX_AGENT_TURNS:
        return _hand_off(tracker, thread, columns, f"{turns} agent turns without a human message")
    tracker.ask(thread.report, questions_text(plan.missing), plan.missing, survey.build)
    return Outcome("waiting", columns)


def _hand_off(tracker: Tracker, thread: Thread, columns: dict[str, Any], reason: str) -> Outcome:
    _planned(tracker, thread)
    return Outcome("handed_off", {**columns, "error": reason[:200]})


def _planned(tracker: Tracker, thread: Thread) -> None:
    """The issue is no longer one that nobody has looked at."""
    if thread.status in PLANNED.since:
        tracker.show(thread.report.entity_id, PLANNED)


def _closed(tracker: Tracker, case: Case, reason: str) -> Outcome:
    """Nothing is left to do; a plan that was not begun is given up."""
    plan = _plan_in(case, (*REVISED, "approved"))
    if plan is not None:
        tracker.abandon(plan.pk, reason)
    return Outcome("done", {"preview": None})


def _plan_in(case: Case, statuses: Collection[str]) -> Plan | None:
    """The daemon's own newest plan, if it stands there; found even if a worker died before the case knew of it."""
    own = Plan.objects.filter(issue=case.issue_id, daemon=case.daemon_id)
    plan = own.filter(Q(cases=case.pk) | Q(entity__owner=case.daemon.actor_key)).order_by("-created_at").first()
    return plan if plan is not None and plan.status in statuses else None


def _tell(case: Case, decision: Decision, plan_id: str) -> None:
    if decision.tell:
        log.info("human needed: case %s, plan %s: %s", case.pk, plan_id, decision.reason)

"""What the status of an issue says while its plan is stored, approved, carried out, handed over or given up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from neotoma.operations.invoke import call
from neotoma.operations.models import AuditEntry
from tests.support import callers
from tests.triage.desk import VAGUE, case_of, configured, filed, live, plan_of, settled
from triage.cases import TRIES
from triage.models import Case, Plan, Run
from triage.tasks import sweep

pytestmark = pytest.mark.django_db


def status(issue: dict[str, Any]) -> str:
    """As the reporter reads it."""
    caller = callers.guest(issue["guest_access_token"])
    return str(call("get_issue_status", {"entity_id": issue["entity_id"]}, caller)["status"])


def move(issue: dict[str, Any], word: str) -> None:
    call("set_issue_status", {"entity_id": issue["entity_id"], "status": word}, callers.operator())


def approve(issue: dict[str, Any]) -> None:
    call("approve_plan", {"plan_id": plan_of(issue).pk, "revision": 1}, callers.operator())


def reject(plan: Plan) -> None:
    call("reject_plan", {"plan_id": plan.pk, "reason": "no"}, callers.operator())


def test_a_preview_leaves_it_in_the_backlog() -> None:
    configured(dry_run=True)
    issue = filed()
    settled()
    assert status(issue) == "backlog"


def test_a_stored_plan_takes_it_from_the_backlog_an_approval_puts_it_in_progress(sample: Path) -> None:
    live(sample)
    issue = filed()
    settled()
    assert status(issue) == "todo"
    approve(issue)
    assert status(issue) == "in_progress"
    settled()
    assert (case_of(issue).state, status(issue)) == ("handed_off", "in_progress:blocked")


def test_a_question_leaves_it_in_the_backlog_until_a_person_has_to_find_out(sample: Path) -> None:
    live(sample)
    issue = filed(**VAGUE)
    settled()
    assert (case_of(issue).state, status(issue)) == ("waiting", "backlog")
    call("add_issue_message", {"issue_number": issue["issue_number"], "body": "No idea."}, callers.reporter())
    settled()
    assert (case_of(issue).state, status(issue)) == ("handed_off", "todo")


def test_a_plan_that_runs_unasked_puts_it_in_progress(sample: Path) -> None:
    live(sample, reporting_mode="proactive")
    issue = filed()
    settled()
    assert (case_of(issue).state, status(issue)) == ("handed_off", "in_progress:blocked")


def test_a_rejected_plan_puts_back_only_what_its_approval_began() -> None:
    live(reporting_mode="off")
    call("configure_daemon", {"daemon": "second", "dry_run": False}, callers.operator())
    issue = filed()
    settled()
    first, second = Plan.objects.order_by("daemon__daemon_config__name")
    call("approve_plan", {"plan_id": first.pk, "revision": 1}, callers.operator())
    reject(second)
    assert status(issue) == "in_progress"
    reject(first)
    assert status(issue) == "todo"


def test_what_a_person_said_stands() -> None:
    live()
    issue = filed()
    move(issue, "review")
    settled()
    assert status(issue) == "review"
    approve(issue)
    assert status(issue) == "review"


def test_decisions_on_a_closed_or_withdrawn_issue_leave_it_alone() -> None:
    live()
    closed, withdrawn = filed(), filed(title="Another field is dropped")
    settled()
    call(
        "close_issue", {"issue_number": closed["issue_number"], "resolution": {"kind": "answered"}}, callers.operator()
    )
    call("withdraw_issue", {"issue_number": withdrawn["issue_number"]}, callers.reporter())
    for issue in (closed, withdrawn):
        approve(issue)
        reject(plan_of(issue))
    assert status(closed) == "done"


def test_a_run_whose_worker_died_blocks_it(sample: Path) -> None:
    live(sample)
    issue = filed()
    settled()
    approve(issue)
    settled()
    move(issue, "in_progress")
    Case.objects.update(state="running")
    Run.objects.update(state="running", deadline_at=timezone.now())
    sweep()
    assert (case_of(issue).state, status(issue)) == ("handed_off", "in_progress:blocked")


def test_looks_that_always_fail_put_it_among_what_is_to_be_done(sample: Path) -> None:
    live(sample)
    issue = filed()
    (sample / ".git" / "config").write_text("[core]\n\tworktree = /etc\n")
    for _ in range(TRIES):
        settled()
        assert status(issue) == "backlog" or case_of(issue).attempts == TRIES
        Case.objects.filter(due_at__isnull=False).update(due_at=timezone.now())
    assert (case_of(issue).state, status(issue)) == ("handed_off", "todo")


def test_workers_that_always_die_put_it_among_what_is_to_be_done() -> None:
    live()
    issue = filed()
    settled()
    move(issue, "backlog")
    Case.objects.update(state="new", due_at=timezone.now(), attempts=TRIES)
    sweep()
    assert (case_of(issue).state, status(issue)) == ("handed_off", "todo")


def test_a_look_that_changes_nothing_says_nothing() -> None:
    live()
    issue = filed()
    settled()
    audited = AuditEntry.objects.filter(operation="set_issue_status").count()
    Case.objects.filter(pk=case_of(issue).pk).update(due_at=timezone.now())
    settled()
    assert AuditEntry.objects.filter(operation="set_issue_status").count() == audited == 1

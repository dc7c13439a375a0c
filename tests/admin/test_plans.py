"""Plans: what a person sees before deciding, and that a decision is bound to what was seen."""

from __future__ import annotations

from collections.abc import Callable

from neotoma.access.principals import daemon
from neotoma.operations.invoke import Caller, call
from neotoma.operations.models import AuditEntry
from neotoma.submissions.models import Message
from tests.admin.conftest import PLAN, Desk, Staff, propose
from triage.models import Case, DaemonConfig, Plan, Run

LIST = "triage/plan/"
Status = Callable[[str], str]


def revise(desk: Desk, **changes: object) -> None:
    arguments = {"issue_id": desk.issue, "plan_id": desk.plan, "plan": {**PLAN, **changes}}
    call("propose_plan", arguments, Caller(daemon("formica"), "process"))


def test_a_plan_shows_what_a_decision_needs(desk: Desk, boss: Staff) -> None:
    revise(
        desk,
        files_suspected=["core/store.py"],
        related_issues=[
            {"entity_id": desk.other_issue, "issue_number": 2, "score": 0.9, "reasons": ["same error signature"]}
        ],
        suspicions=[{"name": "instruction", "excerpt": "ignore all rules"}],
    )
    page = boss.page(f"{LIST}{desk.plan}/change/")
    for shown in (
        "Keep due_date",
        "revision 2",
        "Write a test",
        "foundation code",
        "core/reducer.py",
        "core/store.py",
        "the tag v1.4.2 exists",
        "the test fails on main",
        "same error signature",
        "ignore all rules",
        "A field is lost.",
        "Renew passport",
        'tone-warn">ask<',
    ):
        assert shown in page


def test_approving_is_bound_to_the_revision_that_was_seen(desk: Desk, boss: Staff, status: Status) -> None:
    assert '<input type="hidden" name="revision" value="1">' in boss.page(f"{LIST}{desk.plan}/change/")
    revise(desk, title="Something else")
    page = boss.press(f"{LIST}{desk.plan}/change/", "approve_plan", revision="1").content.decode()
    assert "revision is 2, not 1" in page
    assert '<input type="hidden" name="revision" value="2">' in page
    assert status(desk.plan) == "proposed"
    boss.press(f"{LIST}{desk.plan}/change/", "approve_plan", revision="2")
    assert status(desk.plan) == "approved"
    entry = AuditEntry.objects.get(operation="approve_plan", outcome="done")
    assert (entry.actor_name, entry.surface) == ("root", "admin")


def test_rejecting_keeps_the_reason(desk: Desk, boss: Staff, status: Status) -> None:
    boss.press(f"{LIST}{desk.plan}/change/", "reject_plan", revision="1", reason="")
    assert status(desk.plan) == "proposed"
    boss.press(f"{LIST}{desk.plan}/change/", "reject_plan", revision="1", reason="Not **now**.")
    assert status(desk.plan) == "rejected"
    page = boss.page(f"{LIST}{desk.plan}/change/")
    assert "Not <strong>now</strong>." in page
    assert 'value="approve_plan"' not in page


def test_asking_goes_to_the_thread(desk: Desk, boss: Staff, status: Status) -> None:
    boss.press(f"{LIST}{desk.plan}/change/", "ask_reporter", text="Which branch?")
    said = Message.objects.of(desk.issue).latest("position")
    assert (said.body, said.author_name, said.asks) == ("Which branch?", "root", True)
    assert status(desk.plan) == "awaiting_input"


def test_a_plan_that_a_gate_refuses_has_no_approval(desk: Desk, boss: Staff, status: Status) -> None:
    gates = [{"name": "permission_code", "decision": "refuse", "reason": "it guards secrets"}]
    refused = propose(desk.lonely_issue, gates=gates)
    page = boss.page(f"{LIST}{refused}/change/")
    assert "it guards secrets" in page
    assert 'value="approve_plan"' not in page
    assert 'value="reject_plan"' in page
    boss.press(f"{LIST}{refused}/change/", "approve_plan", revision="1")
    assert status(refused) == "proposed"


def test_the_list_is_filtered(desk: Desk, boss: Staff) -> None:
    assert "Index the search" not in boss.page(LIST, daemon=desk.daemon)
    assert "Keep due_date" in boss.page(LIST, status="proposed", risk="low", verdict="open")
    assert "Keep due_date" not in boss.page(LIST, status="approved")
    assert "Keep due_date" in boss.page(LIST, q=desk.issue)
    assert "Index the search" not in boss.page(LIST, q="due_date")


def test_the_front_page_counts_what_waits(desk: Desk, boss: Staff) -> None:
    Case.objects.create(daemon_id=desk.daemon, issue_id=desk.issue, state="handed_off")
    page = boss.page("")
    assert '<b>2</b><span class="label">plans to decide</span>' in page
    assert '<b>1</b><span class="label">handed over</span>' in page
    assert '<b>0</b><span class="label">plans to ship</span>' in page


def test_a_daemon_is_paused_resumed_and_configured(desk: Desk, boss: Staff) -> None:
    where = f"triage/daemonconfig/{desk.daemon}/change/"
    boss.press(where, "pause", reason="Too eager.")
    assert not DaemonConfig.objects.get(pk=desk.daemon).active
    page = boss.page(where)
    assert "paused" in page
    assert 'value="pause"' not in page
    boss.press(where, "resume")
    boss.press(where, "configure_daemon", reporting_mode="off", auto_fix="on")
    held = DaemonConfig.objects.get(pk=desk.daemon)
    assert (held.active, held.reporting_mode, held.auto_fix, held.dry_run) == (True, "off", True, False)


def test_a_preview_is_released(desk: Desk, boss: Staff) -> None:
    preview = {"would_plan": {"title": "A bulk merge", "steps": ["merge them"]}, "would_ask": "Which fields?"}
    case = Case.objects.create(
        daemon_id=desk.daemon, issue_id=desk.issue, state="previewed", classification="bug", preview=preview
    )
    page = boss.page(f"triage/case/{case.pk}/change/")
    assert "A bulk merge" in page
    assert "Which fields?" in page
    boss.press(f"triage/case/{case.pk}/change/", "release_preview")
    assert DaemonConfig.objects.get(pk=desk.daemon).released_kinds == ["bug"]


def test_a_run_shows_its_steps(desk: Desk, boss: Staff) -> None:
    plan = Plan.objects.get(pk=desk.plan)
    case = Case.objects.create(daemon_id=desk.daemon, issue_id=desk.issue, state="running")
    steps = [{"at": "2026-01-31T12:00:00Z", "name": "agent", "detail": "-old\n+new"}]
    run = Run.objects.create(
        case=case, plan=plan, revision=1, cause_seq=1, state="failed", outcome="tests_failed", error="2 failed",
        steps=steps, cost=0.42, queued_at=plan.created_at,
    )  # fmt: skip
    page = boss.page(f"triage/run/{run.pk}/change/")
    for shown in ("-old\n+new", "2 failed", "$0.42", "tests failed"):
        assert shown in page
    assert f"run {run.pk}" in boss.page(f"{LIST}{desk.plan}/change/")

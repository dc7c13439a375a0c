from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from neotoma.operations.invoke import call
from neotoma.substrate.models import Event
from tests.support import callers
from tests.triage.desk import case_of, configured, filed, live, plan_of, settled
from triage.intake import take
from triage.models import Plan, Run
from triage.repository import commit_of
from triage.runner.tasks import lost, run, tidy
from triage.tasks import sweep

pytestmark = pytest.mark.django_db


def approved(**fields: Any) -> tuple[dict[str, Any], Plan]:
    """An issue whose plan a person has just approved; nothing has been carried out yet."""
    issue = filed(**fields)
    settled()
    plan = plan_of(issue)
    call("approve_plan", {"plan_id": plan.pk, "revision": plan.revision}, callers.operator())
    return issue, plan


def test_an_approved_plan_is_laid_out_for_a_person(sample: Path, worktrees: Path) -> None:
    live(sample)
    issue, plan = approved()
    assert settled() == ["worktree_prepared"]
    found = Run.objects.get()
    assert (found.state, found.outcome, found.revision, found.error) == ("succeeded", "worktree_prepared", 1, "")
    assert [step["name"] for step in found.steps] == ["started", "worktree prepared"]
    assert Path(found.worktree) == worktrees / f"run-{found.pk}"
    assert commit_of(Path(found.worktree), "HEAD") == plan.base_sha
    assert case_of(issue).state == "handed_off"
    [handed] = call("daemon_status", {}, callers.operator())["handed_off"]
    assert (handed["plan_id"], handed["worktree"]) == (plan.pk, found.worktree)


def test_a_plan_for_a_branch_is_laid_out_there(sample: Path) -> None:
    live(sample)
    sha = commit_of(sample, "feature/labels")
    approved(title="add_label replaces labels", body="`add_label` overwrites labels", reporter_git_sha=sha)
    settled()
    assert commit_of(Path(Run.objects.get().worktree), "HEAD") == sha


def test_one_approval_starts_one_run(sample: Path) -> None:
    live(sample)
    approved()
    events = list(Event.objects.filter(entity_type="plan", event_type="entity.updated"))
    take(events, timezone.now())
    take(events, timezone.now())
    [first] = Run.objects.all()
    assert [run(first.pk), run(first.pk)] == ["worktree_prepared", "not queued"]
    take(events, timezone.now())
    assert Run.objects.count() == 1


def test_without_a_repository_a_person_carries_it_out() -> None:
    live()
    issue, _ = approved()
    assert settled() == ["no_worktree"]
    assert (Run.objects.get().state, case_of(issue).state) == ("succeeded", "handed_off")


def test_a_dirty_checkout_stops_the_run_and_names_the_files(sample: Path, worktrees: Path) -> None:
    live(sample)
    issue, _ = approved()
    (sample / "README.md").write_text("changed")
    assert settled() == ["DIRTY_CHECKOUT"]
    found = Run.objects.get()
    assert (found.state, found.error) == ("failed", "DIRTY_CHECKOUT")
    assert found.steps[-1]["detail"]["files"] == ["README.md"]
    assert (case_of(issue).state, case_of(issue).error) == ("handed_off", "DIRTY_CHECKOUT")
    assert not worktrees.exists()


def test_nothing_starts_while_paused_and_it_runs_once_after(sample: Path) -> None:
    live(sample)
    approved()
    call("pause", {}, callers.operator())
    assert settled()[:1] == ["the daemon is paused"]
    assert Run.objects.get().state == "queued"
    call("resume", {}, callers.operator())
    assert settled() == ["worktree_prepared"]


def test_an_approved_plan_waits_while_the_mode_is_off(sample: Path) -> None:
    live(sample)
    approved()
    configured(reporting_mode="off")
    settled()
    assert Run.objects.get().state == "queued"
    configured(reporting_mode="consent")
    assert settled() == ["worktree_prepared"]


def test_no_more_run_at_once_than_configured(sample: Path) -> None:
    live(sample, concurrency=1)
    approved()
    settled()
    Run.objects.update(state="running", deadline_at=timezone.now() + timedelta(hours=1))
    issue, _ = approved(title="Storing drops another field")
    assert settled()[0] == "1 runs at once; the limit is 1"
    assert (case_of(issue).state, Run.objects.filter(state="queued").count()) == ("queued", 1)


def test_the_budget_of_the_day_holds(sample: Path) -> None:
    live(sample, max_runs_per_day=0)
    approved()
    assert settled()[0] == "0 runs today; the budget is 0"
    assert Run.objects.get().state == "queued"


def test_six_turns_of_machines_are_enough(sample: Path) -> None:
    live(sample)
    issue, _ = approved()
    for turn in range(6):
        body = {"issue_number": issue["issue_number"], "body": f"Still at it, {turn}.", "asks": False}
        call("add_issue_message", body, callers.agent("read", "read:private", "work"))
    assert settled() == ["6 agent turns without a human message"]
    assert (Run.objects.get().state, case_of(issue).state) == ("stopped", "handed_off")


def test_a_closed_issue_is_not_worked_on(sample: Path) -> None:
    live(sample)
    issue, _ = approved()
    call("close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": "answered"}}, callers.operator())
    settled()
    assert (Run.objects.get().state, Run.objects.get().error) == ("stopped", "ISSUE_CLOSED")
    assert not Run.objects.get().worktree


def test_an_issue_that_a_person_closes_ends_what_was_handed_over(sample: Path) -> None:
    live(sample)
    issue, plan = approved()
    settled()
    call("close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": "fixed"}}, callers.operator())
    assert settled() == ["done"]
    plan.refresh_from_db()
    assert (plan.status, case_of(issue).state, tidy()) == ("abandoned", "done", 1)


def test_a_proactive_run_stops_when_the_mode_asks_again(sample: Path) -> None:
    live(sample, reporting_mode="proactive", max_runs_per_day=0)
    issue = filed()
    settled()
    assert Run.objects.get().state == "queued"
    configured(reporting_mode="consent")
    settled()
    assert (Run.objects.get().state, Run.objects.get().error) == ("stopped", "NOT_APPROVED")
    assert case_of(issue).state == "planned"


def test_a_lost_run_goes_to_a_person(sample: Path) -> None:
    live(sample)
    issue, _ = approved()
    settled()
    past = timezone.now() - timedelta(seconds=1)
    Run.objects.update(state="running", deadline_at=past)
    assert lost(timezone.now()) == 1
    assert (Run.objects.get().state, Run.objects.get().error) == ("timed_out", "DEADLINE")
    assert case_of(issue).state == "handed_off"


def test_a_settled_plan_leaves_no_empty_worktree(sample: Path) -> None:
    live(sample)
    _, plan = approved()
    settled()
    place = Path(Run.objects.get().worktree)
    assert tidy() == 0
    call("reject_plan", {"plan_id": plan.pk, "reason": "done by hand"}, callers.operator())
    (place / "work.txt").write_text("work")
    assert (tidy(), tidy()) == (0, 0)
    assert [step["name"] for step in Run.objects.get().steps].count("worktree kept") == 1
    (place / "work.txt").unlink()
    assert tidy() == 1
    assert (place.exists(), Run.objects.get().worktree) == (False, "")


def test_a_sweep_finds_what_waits(sample: Path) -> None:
    live(sample)
    issue = filed()
    settled()
    assert sweep() == 0
    long_ago = timezone.now() - timedelta(minutes=1)
    case_of(issue).__class__.objects.update(state="new", due_at=long_ago)
    assert sweep() == 1

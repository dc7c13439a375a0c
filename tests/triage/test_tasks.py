from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone

from tests.triage.desk import case_of, filed, live, settled
from triage import cases, tasks
from triage.casework import Outcome, look
from triage.models import Case, Plan

pytestmark = pytest.mark.django_db


def again(case: Case) -> str:
    Case.objects.filter(pk=case.pk).update(due_at=timezone.now())
    return tasks.assess(case.pk)


def test_a_repository_that_misleads_git_ends_with_a_person(sample: Path) -> None:
    with (sample / ".git" / "config").open("a") as config:
        config.write("[core]\n\tworktree = /etc\n")
    live(sample)
    issue = filed()
    settled()
    case = case_of(issue)
    assert (case.state, case.attempts, case.error) == ("new", 1, "ERR_REPOSITORY_UNSAFE")
    assert case.due_at is not None and case.due_at > timezone.now()
    assert [again(case) for _ in range(cases.TRIES)] == ["ERR_REPOSITORY_UNSAFE"] * (cases.TRIES - 1) + ["not due"]
    case.refresh_from_db()
    assert (case.state, case.error) == ("handed_off", "ERR_REPOSITORY_UNSAFE")


def test_a_bug_of_ours_is_told_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(case: Case) -> Outcome:
        raise KeyError(case.pk)

    live()
    issue = filed()
    monkeypatch.setattr(tasks, "look", broken)
    with pytest.raises(KeyError):
        settled()
    assert (case_of(issue).attempts, case_of(issue).error) == (1, "KeyError")


def test_a_pause_during_a_look_leaves_the_case_due(monkeypatch: pytest.MonkeyPatch) -> None:
    def paused(case: Case) -> Outcome | None:
        case.daemon.__class__.objects.update(active=False)
        return look(case)

    live()
    issue = filed()
    monkeypatch.setattr(tasks, "look", paused)
    assert settled() == ["paused"]
    case = case_of(issue)
    assert (case.state, case.attempts, Plan.objects.count()) == ("new", 0, 0)
    assert case.due_at is not None and case.due_at <= timezone.now()


def test_a_case_that_is_gone_is_nothing_to_do() -> None:
    assert tasks.assess(10_000) == "paused"

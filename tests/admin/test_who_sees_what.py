"""What staff see and may do follows their scopes: nobody needs, and nobody is helped by, Django's model permissions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client

from neotoma.access.models import EntityGroupPermission
from neotoma.operations.invoke import call
from neotoma.substrate.models import DeadEvent
from tests.admin.conftest import Desk, Staff, propose
from tests.support.callers import operator
from triage.models import Case, Run

Status = Callable[[str], str]
OURS = ("access", "issues", "operations", "substrate", "triage", "webhooks")
FOR_REVIEWERS = {"issues/issue", "triage/plan", "triage/case", "triage/run", "triage/daemonconfig", "substrate/entity"}
FOR_OPERATORS = {
    "access/agent",
    "access/apitoken",
    "access/guesttoken",
    "access/entitygrouppermission",
    "access/entityuserpermission",
    "operations/auditentry",
}


def lists() -> list[str]:
    """Every list of ours, e.g. `issues/issue`."""
    labels = (model._meta.label_lower.split(".") for model in admin.site._registry)
    return sorted("/".join(label) for label in labels if label[0] in OURS)


def opened(staff: Staff) -> set[str]:
    return {where for where in lists() if staff.get(f"{where}/").status_code == 200}


def test_every_list_is_opened_by_those_it_is_for(boss: Staff, maintainer: Staff, reviewer: Staff, clerk: Staff) -> None:
    every = set(lists())
    assert opened(boss) == every
    assert opened(maintainer) == every - FOR_OPERATORS
    assert opened(reviewer) == FOR_REVIEWERS
    assert opened(clerk) == set()


@pytest.mark.parametrize("path", ["", "issues/issue/", "triage/plan/", "operations/auditentry/"])
def test_nobody_sees_anything_without_signing_in(db: None, path: str) -> None:
    response = Client().get(f"/admin/{path}")
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")


def test_the_login_page_tells_nothing(desk: Desk) -> None:
    page = Client().get("/admin/login/").content.decode()
    assert "Issues" not in page
    assert "Log in" in page


def test_model_permissions_open_nothing(desk: Desk, clerk: Staff) -> None:
    clerk.user.user_permissions.set(
        Permission.objects.filter(content_type__app_label__in=OURS).exclude(codename="maintain")
    )
    assert opened(clerk) == set()
    assert clerk.get(f"issues/issue/{desk.issue}/change/").status_code == 403


def test_a_reviewer_sees_only_plans_of_their_daemon(desk: Desk, reviewer: Staff) -> None:
    page = reviewer.page("triage/plan/")
    assert "Keep due_date" in page
    assert "Index the search" not in page
    assert "sentinel" not in page  # not even among the filters
    assert reviewer.get(f"triage/plan/{desk.plan}/change/").status_code == 200
    assert reviewer.get(f"triage/plan/{desk.other_plan}/change/").status_code == 302


def test_a_reviewer_sees_what_those_plans_refer_to(desk: Desk, reviewer: Staff) -> None:
    page = reviewer.page("issues/issue/")
    assert "store drops due_date" in page
    assert "search is slow" not in page
    assert "nobody looked at it" not in page
    assert "A field is lost." in reviewer.page(f"issues/issue/{desk.issue}/change/")
    for hidden in (desk.other_issue, desk.lonely_issue):
        assert reviewer.get(f"issues/issue/{hidden}/change/").status_code == 302
        assert reviewer.get(f"substrate/entity/{hidden}/change/").status_code == 302
    assert reviewer.get(f"substrate/entity/{desk.linked}/change/").status_code == 200


def test_a_reviewer_decides_their_own_plans_alone(desk: Desk, reviewer: Staff, status: Status) -> None:
    reviewer.press(f"triage/plan/{desk.other_plan}/change/", "approve_plan", revision="1")
    assert status(desk.other_plan) == "proposed"
    reviewer.press(f"triage/plan/{desk.plan}/change/", "approve_plan", revision="1")
    assert status(desk.plan) == "approved"


def test_a_plan_of_another_daemon_on_the_same_issue_stays_hidden(desk: Desk, reviewer: Staff, status: Status) -> None:
    foreign = propose(desk.issue, "sentinel", title="A second opinion")
    assert "A second opinion" not in reviewer.page("triage/plan/")
    assert reviewer.get(f"triage/plan/{foreign}/change/").status_code == 302
    reviewer.press(f"triage/plan/{foreign}/change/", "reject_plan", revision="1", reason="x")
    assert status(foreign) == "proposed"


def test_a_reviewer_asks_and_rejects(desk: Desk, reviewer: Staff, status: Status) -> None:
    reviewer.press(f"triage/plan/{desk.plan}/change/", "ask_reporter", text="Which branch?")
    assert status(desk.plan) == "awaiting_input"
    reviewer.press(f"triage/plan/{desk.plan}/change/", "reject_plan", revision="1", reason="No.")
    assert status(desk.plan) == "rejected"


def test_a_reviewer_has_no_buttons_of_maintainers(desk: Desk, reviewer: Staff, status: Status) -> None:
    page = reviewer.page(f"issues/issue/{desk.issue}/change/")
    assert 'name="button"' not in page
    assert "Audit trail" not in page
    reviewer.press(f"issues/issue/{desk.issue}/change/", "close_issue", kind="fixed")
    assert status(desk.issue) == "backlog"
    assert 'name="button"' not in reviewer.page(f"triage/daemonconfig/{desk.daemon}/change/")


def test_cases_and_runs_follow_their_daemon(desk: Desk, reviewer: Staff) -> None:
    mine, theirs = (
        Case.objects.create(daemon_id=name, issue_id=issue, state="planned")
        for name, issue in ((desk.daemon, desk.issue), (desk.other_daemon, desk.other_issue))
    )
    run = Run.objects.create(case=theirs, plan_id=desk.other_plan, revision=1, cause_seq=1, queued_at=theirs.created_at)
    assert reviewer.get(f"triage/case/{mine.pk}/change/").status_code == 200
    assert reviewer.get(f"triage/case/{theirs.pk}/change/").status_code == 302
    assert reviewer.get(f"triage/run/{run.pk}/change/").status_code == 302
    assert reviewer.get(f"triage/daemonconfig/{desk.other_daemon}/change/").status_code == 302


def test_leaving_the_group_counts_at_once(desk: Desk, reviewer: Staff) -> None:
    reviewer.user.groups.clear()
    assert opened(reviewer) == set()


def test_the_reviewing_group_is_given_on_its_page(desk: Desk, boss: Staff, clerk: Staff) -> None:
    group = clerk.user.groups.create(name="sentinel reviewers")
    review = Permission.objects.get(codename="review")
    boss.client.post(
        "/admin/access/entitygrouppermission/add/",
        {"group": group.pk, "content_object": desk.other_daemon, "permission": review.pk},
    )
    assert EntityGroupPermission.objects.get().content_object_id == desk.other_daemon
    assert "Index the search" in clerk.page("triage/plan/")
    assert "Keep due_date" not in clerk.page("triage/plan/")


def test_only_review_on_a_daemon_can_be_given(desk: Desk, boss: Staff, clerk: Staff) -> None:
    group = clerk.user.groups.create(name="sentinel reviewers")
    wrong = Permission.objects.get(codename="delete_entity")
    review = Permission.objects.get(codename="review")
    for thing, permission in ((desk.other_daemon, wrong), (desk.issue, review)):
        data = {"group": group.pk, "content_object": thing, "permission": permission.pk}
        assert boss.client.post("/admin/access/entitygrouppermission/add/", data).status_code == 200
    assert not EntityGroupPermission.objects.exists()


def test_a_maintainer_sees_and_decides_everything_but_upkeep(desk: Desk, maintainer: Staff, status: Status) -> None:
    dead = DeadEvent.objects.create(consumer="triage.intake", seq=1, error="KeyError")
    assert 'name="button"' not in maintainer.page(f"substrate/deadevent/{dead.pk}/change/")
    maintainer.press(f"triage/plan/{desk.other_plan}/change/", "approve_plan", revision="1")
    assert status(desk.other_plan) == "approved"
    maintainer.press(f"issues/issue/{desk.lonely_issue}/change/", "close_issue", kind="answered")
    assert status(desk.lonely_issue) == "done"


def test_private_threads_are_for_those_who_may_read_them(desk: Desk, reviewer: Staff) -> None:
    call("add_issue_message", {"entity_id": desk.lonely_issue, "body": "secretive"}, operator())
    for path in ("substrate/entity/", "issues/issue/"):
        for words in ("nobody looked", "secretive"):
            assert "0 found" in reviewer.page(path, q=words)

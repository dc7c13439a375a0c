from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from guardian.shortcuts import assign_perm

from neotoma.access.authenticate import from_user
from neotoma.operations.invoke import Caller, call
from neotoma.operations.models import AuditEntry
from neotoma.substrate.errors import Refusal
from tests.support import callers
from tests.triage.desk import VAGUE, case_of, filed, live, messages, plan_of, settled
from triage.models import DaemonConfig, Plan, Run

pytestmark = pytest.mark.django_db


def refused(name: str, arguments: dict[str, Any], caller: Caller) -> tuple[int, str]:
    with pytest.raises(Refusal) as caught:
        call(name, arguments, caller)
    return caught.value.status, caught.value.error_code


def planned(**fields: Any) -> tuple[dict[str, Any], Plan]:
    issue = filed(**fields)
    settled()
    return issue, plan_of(issue)


def reviewer(daemon: str) -> Caller:
    """A member of staff in a group that may review this daemon's plans, and nothing else."""
    group = Group.objects.create(name=f"reviewers of {daemon}")
    assign_perm("substrate.review", group, DaemonConfig.objects.get(name=daemon).entity)
    user = User.objects.create_user(f"reviewer-{daemon}", is_staff=True)
    user.groups.add(group)
    return Caller(from_user(user), "admin")


def maintainer() -> Caller:
    user = User.objects.create_user("maintainer", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="maintain"))
    return Caller(from_user(User.objects.get(pk=user.pk)), "admin")


def test_an_approval_is_bound_to_the_revision_and_given_once() -> None:
    live()
    _, plan = planned()
    boss = callers.operator()
    assert refused("approve_plan", {"plan_id": plan.pk, "revision": 2}, boss) == (409, "EXPECTATION_FAILED")
    answer = call("approve_plan", {"plan_id": plan.pk, "revision": 1}, boss)
    assert answer == {"plan_id": plan.pk, "status": "approved", "revision": 1, "replayed": False}
    assert refused("approve_plan", {"plan_id": plan.pk, "revision": 1}, boss) == (409, "PLAN_STATUS_CONFLICT")
    plan.refresh_from_db()
    assert (plan.status, plan.decided_by) == ("approved", "boss")
    assert plan.decided_at is not None


def test_an_approval_is_for_people() -> None:
    live()
    _, plan = planned()
    wanted = {"plan_id": plan.pk, "revision": 1}
    assert refused("approve_plan", wanted, callers.agent("maintain", name="steward")) == (403, "STAFF_ONLY")
    assert refused("approve_plan", wanted, callers.agent("work", "read")) == (403, "INSUFFICIENT_SCOPE")
    assert call("approve_plan", wanted, maintainer())["status"] == "approved"


def test_what_a_gate_refuses_nobody_approves() -> None:
    live()
    issue, plan = planned()
    held = plan.entity.snapshot
    names = ("kind", "classification", "title", "steps", "environment", "verdict", "risk", "confidence")
    gate = {"name": "secrets", "decision": "refuse", "reason": "keys"}
    draft = {**{name: held[name] for name in names}, "gates": [gate]}
    again = {"issue_id": issue["entity_id"], "plan_id": plan.pk, "revision": 1, "plan": draft}
    assert call("propose_plan", again, callers.agent("maintain", name="steward"))["revision"] == 2
    wanted = {"plan_id": plan.pk, "revision": 2}
    assert refused("approve_plan", wanted, callers.operator()) == (422, "PLAN_REFUSED_BY_GATE")


def test_a_rejected_plan_ends_its_case_and_keeps_the_reason() -> None:
    live()
    issue, plan = planned()
    call("reject_plan", {"plan_id": plan.pk, "revision": 1, "reason": "not worth it"}, callers.operator())
    settled()
    plan.refresh_from_db()
    assert (plan.status, plan.reason, case_of(issue).state) == ("rejected", "not worth it", "done")


def test_a_rejected_plan_runs_no_more() -> None:
    live(reporting_mode="off")
    issue, plan = planned()
    call("approve_plan", {"plan_id": plan.pk, "revision": 1}, callers.operator())
    settled()
    assert (case_of(issue).state, Run.objects.get().state) == ("queued", "queued")
    call("reject_plan", {"plan_id": plan.pk, "reason": "changed my mind"}, callers.operator())
    settled()
    assert (case_of(issue).state, Run.objects.get().state) == ("done", "stopped")


def test_a_reviewer_decides_only_for_the_own_daemon() -> None:
    live()
    call("configure_daemon", {"daemon": "second", "dry_run": False}, callers.operator())
    issue = filed(visibility="private")
    settled()
    other = Plan.objects.get(daemon__daemon_config__name="second")
    own = Plan.objects.get(daemon__daemon_config__name="formica")
    person = reviewer("formica")
    seen = call("retrieve_entities", {"entity_type": "plan"}, person)["entities"]
    assert [row["entity_id"] for row in seen] == [own.pk]
    assert call("get_issue_status", {"entity_id": issue["entity_id"]}, person)["title"]
    for name, more in (
        ("approve_plan", {"revision": 1}),
        ("reject_plan", {"reason": "no"}),
        ("ask_reporter", {"text": "?"}),
    ):
        assert refused(name, {"plan_id": other.pk, **more}, person) == (404, "NOT_FOUND")
    assert call("approve_plan", {"plan_id": own.pk, "revision": 1}, person)["status"] == "approved"


def test_a_question_goes_to_the_thread_and_the_answer_brings_the_plan_back() -> None:
    live()
    issue, plan = planned()
    person = reviewer("formica")
    asked = call("ask_reporter", {"plan_id": plan.pk, "text": "On which machine?"}, person)
    assert asked["status"] == "awaiting_input"
    settled()
    assert case_of(issue).state == "waiting"
    last = messages(issue)[-1]
    assert (last["author"]["kind"], last["body"], last["asks"]) == ("maintainer", "On which machine?", True)
    audited = AuditEntry.objects.filter(actor_name="reviewer-formica").values_list("operation", flat=True)
    assert sorted(audited) == ["add_issue_message", "ask_reporter"]
    call("add_issue_message", {"issue_number": issue["issue_number"], "body": "On a laptop."}, callers.reporter())
    settled()
    plan.refresh_from_db()
    assert (plan.status, case_of(issue).state) == ("proposed", "planned")


def test_a_reviewer_speaks_only_through_a_plan() -> None:
    live()
    issue, _ = planned()
    message = {"entity_id": issue["entity_id"], "body": "Hello"}
    assert refused("add_issue_message", message, reviewer("formica")) == (403, "INSUFFICIENT_SCOPE")


def test_a_plan_that_waits_for_an_answer_is_not_approved() -> None:
    live()
    _, plan = planned(**VAGUE)
    wanted = {"plan_id": plan.pk, "revision": 1}
    assert refused("approve_plan", wanted, callers.operator()) == (409, "PLAN_STATUS_CONFLICT")

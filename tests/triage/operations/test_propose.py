from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.invoke import Caller, call
from neotoma.substrate.errors import Refusal
from neotoma.substrate.rebuild import rebuild
from tests.support import callers
from tests.triage.desk import case_of, facts, filed, live, plan_of, settled
from triage.models import Plan, Run

pytestmark = pytest.mark.django_db

DRAFT: dict[str, Any] = {
    "kind": "fix",
    "classification": "bug",
    "title": "Fix in shelf/store.py",
    "steps": ["Write a test.", "Change the line."],
    "environment": {"kind": "public_release"},
    "verdict": {"kind": "open"},
    "risk": "low",
    "confidence": 0.9,
    "gates": [{"name": "all clear", "decision": "auto", "reason": "trust me"}],
}


def worker() -> Caller:
    return callers.agent("read", "read:private", "work", name="worker")


def proposed(caller: Caller, issue: dict[str, Any], **more: Any) -> dict[str, Any]:
    return call("propose_plan", {"issue_id": issue["entity_id"], "plan": DRAFT, **more}, caller)


def refused(caller: Caller, issue: dict[str, Any], **more: Any) -> tuple[int, str]:
    with pytest.raises(Refusal) as caught:
        proposed(caller, issue, **more)
    return caught.value.status, caught.value.error_code


def test_an_agents_plan_is_a_draft_whose_gates_are_read_again() -> None:
    issue = filed()
    assert proposed(worker(), issue)["status"] == "draft"
    plan = plan_of(issue)
    assert (plan.safe, [gate["decision"] for gate in plan.gates]) == (False, ["ask"])


def test_the_draft_of_an_agent_runs_once_it_is_approved() -> None:
    live()
    issue = filed()
    plan_id = proposed(worker(), issue)["plan_id"]
    call("approve_plan", {"plan_id": plan_id, "revision": 1}, callers.operator())
    settled()
    assert (Run.objects.get().plan_id, case_of(issue).state) == (plan_id, "handed_off")


def test_only_a_change_of_content_makes_a_revision() -> None:
    issue, caller = filed(), worker()
    plan_id = proposed(caller, issue)["plan_id"]
    before = facts()
    assert proposed(caller, issue, plan_id=plan_id, revision=1)["revision"] == 1
    assert facts() == before
    assert proposed(caller, issue, plan_id=plan_id, revision=1, base_sha="a" * 40)["revision"] == 2
    assert refused(caller, issue, plan_id=plan_id, revision=1, base_sha="b" * 40) == (409, "EXPECTATION_FAILED")


def test_a_settled_plan_is_not_revised() -> None:
    issue, caller = filed(), worker()
    plan_id = proposed(caller, issue)["plan_id"]
    call("reject_plan", {"plan_id": plan_id, "reason": "no"}, callers.operator())
    assert refused(caller, issue, plan_id=plan_id, base_sha="a" * 40) == (409, "PLAN_STATUS_CONFLICT")
    assert proposed(caller, issue)["plan_id"] != plan_id


def test_nobody_revises_the_plan_of_another() -> None:
    live()
    issue = filed()
    settled()
    plan = plan_of(issue)
    assert refused(worker(), issue, plan_id=plan.pk, revision=1) == (403, "NOT_YOURS")


def test_what_does_not_fit_is_named() -> None:
    issue = filed()
    with pytest.raises(Refusal) as caught:
        proposed(worker(), issue, plan={**DRAFT, "kind": "wish", "priority": 1})
    assert [field["path"] for field in caught.value.details["fields"]] == ["plan.kind", "plan.priority"]


def test_a_plan_needs_an_issue_and_a_daemon() -> None:
    issue = filed()
    assert refused(worker(), {"entity_id": "ent_" + "0" * 24}) == (404, "NOT_FOUND")
    assert refused(worker(), issue, daemon="nobody") == (404, "NOT_FOUND")


def test_a_plan_of_a_private_issue_is_private() -> None:
    issue = filed(visibility="private")
    proposed(worker(), issue, plan={**DRAFT, "private": False})
    blind = callers.agent("read", "work", name="blind")
    assert call("retrieve_entities", {"entity_type": "plan"}, blind)["entities"] == []


def seen_by_the_blind(plan_id: str) -> bool:
    """Whether an agent without the scope for private records finds the plan, in any read."""
    blind = callers.agent("read", "work", name="blind")
    listed = call("retrieve_entities", {"entity_type": "plan"}, blind)["entities"]
    logged = call("list_events", {"entity_ids": [plan_id]}, blind)["events"]
    assert bool(listed) == bool(logged)
    return bool(listed)


@pytest.mark.parametrize(
    "turn",
    [{"kind": "advisory", "private": True}, {"kind": "advisory"}, {"classification": "security"}, {"private": True}],
)
def test_a_plan_that_turns_out_to_be_sensitive_becomes_private_and_stays_so(turn: dict[str, Any]) -> None:
    issue, caller = filed(visibility="public"), worker()
    open_plan = {**DRAFT, "private": False}
    plan_id = proposed(caller, issue, plan=open_plan)["plan_id"]
    assert seen_by_the_blind(plan_id)
    assert proposed(caller, issue, plan_id=plan_id, revision=1, plan={**open_plan, **turn})["revision"] == 2
    assert not seen_by_the_blind(plan_id)
    proposed(caller, issue, plan_id=plan_id, revision=2, plan=open_plan)
    assert not seen_by_the_blind(plan_id)
    assert sum(1 for _ in rebuild(["plan"])) == 1
    assert not seen_by_the_blind(plan_id)


def test_an_advisory_is_private_from_the_start() -> None:
    plan = {**DRAFT, "private": False, "kind": "advisory"}
    assert not seen_by_the_blind(proposed(worker(), filed(visibility="public"), plan=plan)["plan_id"])


def test_plans_are_derived_from_their_facts_alone() -> None:
    live()
    issue = filed()
    settled()
    columns = [field.attname for field in Plan._meta.concrete_fields]
    before = Plan.objects.values(*columns).get()
    Plan.objects.filter(issue=issue["entity_id"]).update(title="gone", status="draft", gates=[])
    assert sum(1 for _ in rebuild(["plan", "daemon_config"])) == 1
    assert Plan.objects.values(*columns).get() == before

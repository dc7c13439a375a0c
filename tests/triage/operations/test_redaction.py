"""Every text that an operation of triage takes is redacted, or refused, before anything of it is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.errors import Refusal
from tests.support import callers
from tests.support.planted import TOKEN, everything, texts_of
from tests.triage.desk import filed, live, plan_of, settled
from tests.triage.operations.test_propose import DRAFT
from triage.models import Plan

pytestmark = pytest.mark.django_db

GATE = {"name": TOKEN, "decision": "ask", "reason": f"since {TOKEN}", "paths": [f"keys/{TOKEN}"]}
PLAN = {
    **DRAFT,
    "title": f"Use {TOKEN}",
    "steps": [f"export TOKEN={TOKEN}"],
    "files_suspected": [f"keys/{TOKEN}"],
    "environment": {"kind": "public_release", "branch": TOKEN, "evidence": [TOKEN]},
    "verdict": {"kind": "open", "evidence": [f"it says {TOKEN}"]},
    "gates": [GATE],
    "missing": [{"field": TOKEN, "question": f"{TOKEN}?", "reason": TOKEN}],
    "suspicions": [{"name": "orders", "excerpt": TOKEN}],
    "base": TOKEN,
    "measurement": TOKEN,
    "answer": f"Try {TOKEN}",
}
PLACES: dict[tuple[str, str], Callable[[str], Any]] = {
    ("propose_plan", "plan"): lambda text: PLAN,
    ("propose_plan", "mirror"): lambda text: {"wanted": True, "reason": text},
    ("configure_daemon", "fields"): lambda text: {"filter": {"entity_types": [text]}, "repo": f"/srv/{text}"},
}
"""What holds texts inside."""
NAMES = {"plan_id", "issue_id", "daemon", "base_sha", "tested_build", "reporting_mode"}
"""Parameters that name something: such a text names nothing, or is refused."""


def example(operation: str, issue: dict[str, Any], plan: Plan) -> dict[str, Any]:
    """The least that the operation needs."""
    more: dict[str, dict[str, Any]] = {
        "propose_plan": {"issue_id": issue["entity_id"], "plan": DRAFT},
        "approve_plan": {"plan_id": plan.pk, "revision": 1},
        "reject_plan": {"plan_id": plan.pk, "reason": "no"},
        "ask_reporter": {"plan_id": plan.pk, "text": "Which?"},
    }
    return more.get(operation, {})


@pytest.mark.parametrize(("operation", "parameter"), texts_of("triage.", structured=[name for _, name in PLACES]))
def test_a_token_in_any_text_is_stored_nowhere(operation: str, parameter: str) -> None:
    live()
    issue = filed(visibility="public")
    settled()
    arguments = example(operation, issue, plan_of(issue))
    text = PLACES.get((operation, parameter), str)(TOKEN)
    try:
        call(operation, {**arguments, parameter: text}, callers.operator())
    except Refusal as refusal:
        assert refusal.status < 500
        assert parameter in NAMES | {"fields"}
    settled()
    assert TOKEN not in everything()


def test_the_texts_are_those_one_would_think_of() -> None:
    assert {
        ("propose_plan", "plan"),
        ("propose_plan", "mirror"),
        ("reject_plan", "reason"),
        ("ask_reporter", "text"),
        ("pause", "reason"),
        ("resume", "reason"),
        ("configure_daemon", "fields"),
        ("configure_daemon", "daemon"),
    } <= set(texts_of("triage.", structured=[name for _, name in PLACES]))


@pytest.mark.parametrize("fields", [{"filter": {"entity_types": [TOKEN]}}, {"repo": f"/srv/{TOKEN}"}])
def test_a_switch_that_holds_a_secret_is_refused_by_name(fields: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as refused:
        call("configure_daemon", {"fields": fields}, callers.operator())
    assert (refused.value.status, refused.value.error_code) == (422, "ERR_REDACTION_REQUIRED")
    assert refused.value.details["fields"][0].startswith(f"fields.{next(iter(fields))}")


def test_a_checkout_may_lie_in_somebodys_home() -> None:
    answer = call("configure_daemon", {"fields": {"repo": "/home/alice/shelf"}}, callers.operator())
    assert answer["daemon_config"]["repo"] == "/home/alice/shelf"


def test_a_plan_whose_texts_grow_by_redaction_still_fits() -> None:
    issue, addresses = filed(), "a@b.co " * 60
    plan = {**DRAFT, "title": addresses, "base": addresses}
    call("propose_plan", {"issue_id": issue["entity_id"], "plan": plan, "base_sha": "a@b.co " * 9}, callers.operator())
    assert "a@b.co" not in everything()

"""Every text that an operation of issues takes is redacted before anything of it is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps

from neotoma.operations.invoke import call
from neotoma.operations.registry import operations
from neotoma.substrate.errors import Refusal
from tests.support import callers

pytestmark = pytest.mark.django_db

TOKEN = "ghp_" + "a1b2" * 9
REPORT = {"title": "t", "body": "b", "reporter_app_version": "1.2.3"}
PLACES: dict[str, Callable[[str], Any]] = {
    "labels": lambda text: [text],
    "missing": lambda text: [{"field": text, "why": f"since {text}"}],
    "resolution": lambda text: {"kind": "fixed", "summary": text, "pr_url": f"https://x.org/{text}"},
    "target_repo": lambda text: f"owner/{text}",
}
"""How a text gets into a parameter that is no plain text."""
REFUSED = {
    "entity_id", "message_id", "reporter_git_sha", "visibility", "verification", "kind", "subscribe", "status",
}  # fmt: skip
"""Parameters that take no such text at all."""
NOT_TEXTS = {"webhook_url", "idempotency_key", "guest_access_token"}
"""An address that is called later, and what is compared, not kept for reading."""


def planted() -> list[tuple[str, str]]:
    """Every parameter of every operation of issues that takes a text of its caller."""
    found = []
    for op in operations().values():
        if op.handler.__module__.startswith("issues.") and op.effect == "write":
            for name, declared in op.params.model_json_schema()["properties"].items():
                kinds = {declared.get("type"), *(part.get("type") for part in declared.get("anyOf", ()))}
                if name not in NOT_TEXTS and (name in PLACES or "string" in kinds):
                    found.append((op.name, name))
    return found


def example(operation: str, issue: dict[str, Any]) -> dict[str, Any]:
    """The least that the operation needs."""
    more: dict[str, dict[str, Any]] = {
        "submit_issue": REPORT,
        "add_issue_message": {"body": "Which?", "reporter_app_version": "1.2.3"},
        "close_issue": {"resolution": {"kind": "fixed"}},
        "reopen_issue": {"reason": "again"},
    }
    if operation in ("withdraw_message", "restore_message"):
        return {"message_id": issue["message_id"]}
    return more.get(operation, {}) | ({} if operation == "submit_issue" else {"issue_number": issue["issue_number"]})


def everything() -> str:
    return "".join(str(list(model._default_manager.values())) for model in apps.get_models())


@pytest.mark.parametrize(("operation", "parameter"), planted())
def test_a_token_in_any_text_is_stored_nowhere(operation: str, parameter: str) -> None:
    boss = callers.operator()
    issue = callers.filed(boss)
    said = call("add_issue_message", {"issue_number": issue["issue_number"], "body": "Hm."}, boss)
    if operation == "reopen_issue":
        closing = {"issue_number": issue["issue_number"], "resolution": {"kind": "fixed"}}
        call("close_issue", closing, boss)
    arguments = example(operation, {**issue, "message_id": said["message_id"]})
    text = PLACES.get(parameter, str)(TOKEN)
    try:
        call(operation, {**arguments, parameter: text}, boss)
    except Refusal as refusal:
        assert refusal.status < 500
        assert parameter in REFUSED
    assert TOKEN not in everything()


def test_the_texts_are_those_one_would_think_of() -> None:
    assert {
        ("submit_issue", "entity_type"),
        ("submit_issue", "target_repo"),
        ("add_issue_message", "missing"),
        ("close_issue", "resolution"),
        ("close_issue", "message"),
        ("reopen_issue", "reason"),
        ("withdraw_issue", "reason"),
        ("restore_message", "reason"),
    } <= set(planted())


def test_what_grows_by_redaction_still_fits() -> None:
    """A title and a label may be as long as their columns; what stands for an address is longer than the address."""
    addresses = "a@b.co " * 50
    issue = callers.filed(callers.reporter(), title=addresses[:300], labels=[addresses[:100], addresses[:90]])
    listed = call("list_issues", {}, callers.operator())["issues"]
    assert [row["issue_number"] for row in listed] == [issue["issue_number"]]


def test_a_type_is_a_name() -> None:
    with pytest.raises(Refusal) as refused:
        callers.filed(callers.reporter(), entity_type="My type!")
    assert refused.value.details["fields"][0]["path"] == "entity_type"

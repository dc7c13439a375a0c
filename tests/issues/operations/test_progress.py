"""How far an issue is, between filed and closed."""

from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Event
from tests.support import callers

pytestmark = pytest.mark.django_db


def said(issue: dict[str, Any], **more: Any) -> dict[str, Any]:
    return call("set_issue_status", {"issue_number": issue["issue_number"], **more}, callers.operator())


def shown(issue: dict[str, Any]) -> str:
    answer = call(
        "get_issue_status", {"issue_number": issue["issue_number"]}, callers.guest(issue["guest_access_token"])
    )
    return str(answer["status"])


def changes(issue: dict[str, Any]) -> int:
    return Event.objects.filter(entity_id=issue["entity_id"], event_type="entity.updated").count()


def test_the_reporter_reads_how_far_it_is() -> None:
    issue = callers.filed(callers.reporter())
    assert shown(issue) == "backlog"
    assert said(issue, status="todo")["status"] == "todo"
    assert said(issue, status="in_progress", blocked=True)["blocked"] is True
    assert shown(issue) == "in_progress:blocked"
    assert said(issue, status="review")["blocked"] is False
    assert shown(issue) == "review"
    assert changes(issue) == 3


def test_saying_it_again_changes_nothing() -> None:
    issue = callers.filed(callers.reporter())
    said(issue, status="todo")
    assert said(issue, status="todo")["status"] == "todo"
    assert changes(issue) == 1


def test_only_from_leaves_what_stands_elsewhere() -> None:
    issue = callers.filed(callers.reporter())
    said(issue, status="review")
    assert said(issue, status="todo", only_from=["backlog"])["status"] == "review"
    assert said(issue, status="todo", only_from=["backlog", "review"])["status"] == "todo"
    call("close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": "fixed"}}, callers.operator())
    assert said(issue, status="todo", only_from=["backlog", "todo"])["status"] == "done"


def test_a_closed_issue_is_reopened_first() -> None:
    issue = callers.filed(callers.reporter())
    call("close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": "fixed"}}, callers.operator())
    with pytest.raises(Refusal) as refused:
        said(issue, status="todo")
    assert (refused.value.status, refused.value.error_code) == (409, "ISSUE_STATE_CONFLICT")


@pytest.mark.parametrize("more", [{"status": "done"}, {"status": "todo", "blocked": True}, {}])
def test_what_makes_no_sense_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as refused:
        said(callers.filed(callers.reporter()), **more)
    assert (refused.value.status, refused.value.error_code) == (422, "VALIDATION_FAILED")

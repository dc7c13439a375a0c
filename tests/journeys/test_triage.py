"""Walk 4: from an event to a case, a preview, a plan, a person's word and a worktree; questions, pauses."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.mcp_agent import Agent
from examples.sample_repository import make_sample_repository
from neotoma.operations.client import Client, ClientRefusal
from tests.journeys.steps import Answer, end_of_log, events_after, eventually, filed, guest_of, refused, stored
from triage.git import run_git

pytestmark = pytest.mark.instance

VAGUE = {"title": "It does not work", "body": "Nothing works here for me today, please look."}
ANSWER = "1. Call `store_entity` with lent_out False. 2. Read it. Expected False, got nothing."


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout for daemons to look at."""
    return make_sample_repository(tmp_path_factory.mktemp("shelf") / "shelf")


@pytest.fixture
def daemon(operator: Client, shelf: Path) -> Iterator[str]:
    """A daemon of the test's own, so that the first of each kind is the first; it is paused afterwards."""
    name = f"walker-{secrets.token_hex(4)}"
    operator.call("configure_daemon", daemon=name, fields={"repo": str(shelf)})
    yield name
    operator.call("pause", daemon=name, reason="the test is over")


def standing(operator: Client, daemon: str) -> Answer:
    return operator.call("daemon_status", daemon=daemon)


def cases(operator: Client, daemon: str, **states: int) -> Answer:
    """How the daemon stands once its cases are in these states."""
    return eventually(lambda: standing(operator, daemon), lambda found: bool(found["cases"] == states))


def plans(operator: Client, issue: Answer) -> list[Answer]:
    """All plans for an issue, each with its snapshot."""
    wanted = {"issue_id": {"op": "eq", "value": issue["entity_id"]}}
    found: list[Answer] = operator.call("retrieve_entities", entity_type="plan", filters=wanted)["entities"]
    return found


def refusal(operator: Client, name: str, **arguments: Any) -> str:
    with pytest.raises(ClientRefusal) as caught:
        operator.call(name, **arguments)
    return caught.value.error_code


def test_a_first_report_is_only_previewed(reporter: Agent, operator: Client, daemon: str) -> None:
    before = end_of_log(operator)
    issue = filed(reporter)
    [case] = cases(operator, daemon, previewed=1)["previews"]
    assert (case["issue_id"], case["classification"]) == (issue["entity_id"], "bug")
    assert case["preview"]["would_plan"]["files_suspected"] == ["shelf/store.py"]
    assert case["preview"]["would_plan"]["environment"]["kind"] == "public_release"
    assert case["preview"]["would_branch"].startswith("formica/fix-")
    assert case["preview"]["would_ask"] is None
    assert plans(operator, issue) == []
    assert [event for event in events_after(operator, before) if event["actor"]["name"] == daemon] == []


def test_a_released_preview_is_planned_approved_and_laid_out(
    reporter: Agent, operator: Client, daemon: str, shelf: Path
) -> None:
    [book] = stored(reporter, "Adventures among Ants")
    before = end_of_log(operator)
    issue = filed(reporter, entity_ids_to_link=[book])
    [case] = cases(operator, daemon, previewed=1)["previews"]
    operator.call("release_preview", case_id=case["case_id"])
    assert cases(operator, daemon, planned=1)["released_kinds"] == ["bug"]
    [plan] = plans(operator, issue)
    assert (plan["snapshot"]["status"], plan["snapshot"]["revision"]) == ("proposed", 1)
    edges = events_after(operator, before, entity_ids=[plan["entity_id"]], event_types=["relationship.created"])
    assert {issue["entity_id"], issue["conversation_id"], book} < {event["target_entity_id"] for event in edges}
    decision = {"plan_id": plan["entity_id"], "revision": 1}
    assert refused(reporter, "approve_plan", **decision).error_code == "INSUFFICIENT_SCOPE"
    assert refusal(operator, "approve_plan", plan_id=plan["entity_id"], revision=2) == "EXPECTATION_FAILED"
    assert operator.call("approve_plan", **decision)["status"] == "approved"
    [handed] = cases(operator, daemon, handed_off=1)["handed_off"]
    assert handed["plan_id"] == plan["entity_id"]
    assert run_git(Path(handed["worktree"]), "rev-parse", "HEAD").text.strip() == plan["snapshot"]["base_sha"]
    assert run_git(shelf, "status", "--porcelain").text == ""
    assert refusal(operator, "approve_plan", **decision) == "PLAN_STATUS_CONFLICT"


def test_a_question_waits_and_its_answer_resumes(reporter: Agent, nobody: Agent, operator: Client, daemon: str) -> None:
    operator.call("configure_daemon", daemon=daemon, dry_run=False)
    issue = filed(reporter, **VAGUE)
    cases(operator, daemon, waiting=1)
    asked = nobody.call("get_issue_status", **guest_of(issue))
    question = asked["messages"][-1]
    assert (asked["awaiting"], question["author"]) == ("reporter", {"kind": "daemon", "name": daemon})
    assert [item["field"] for item in question["missing"]] == ["steps", "expected"]
    assert question["reporter_git_sha"]
    [plan] = plans(operator, issue)
    assert (plan["snapshot"]["status"], plan["snapshot"]["revision"]) == ("awaiting_input", 1)
    nobody.call("add_issue_message", body=ANSWER, **guest_of(issue))
    cases(operator, daemon, planned=1)
    [plan] = plans(operator, issue)
    assert (plan["snapshot"]["status"], plan["snapshot"]["revision"]) == ("proposed", 2)
    assert nobody.call("get_issue_status", **guest_of(issue))["messages_total"] == 3


def test_a_pause_stops_everything_and_each_case_runs_once_after(reporter: Agent, operator: Client, daemon: str) -> None:
    operator.call("configure_daemon", daemon=daemon, dry_run=False)
    assert operator.call("pause", daemon=daemon, reason="a look first")["active"] is False
    issues = [filed(reporter), filed(reporter, **VAGUE)]
    assert cases(operator, daemon, new=2)["active"] is False
    eventually(lambda: _previewed(operator), lambda seen: {issue["entity_id"] for issue in issues} <= seen)
    assert [plans(operator, issue) for issue in issues] == [[], []]
    assert standing(operator, daemon)["cases"] == {"new": 2}
    assert operator.call("resume", daemon=daemon)["active"] is True
    cases(operator, daemon, planned=1, waiting=1)
    assert [[plan["snapshot"]["revision"] for plan in plans(operator, issue)] for issue in issues] == [[1], [1]]


def _previewed(operator: Client) -> set[str]:
    """Issues that the default daemon, which is not paused, has looked at."""
    return {case["issue_id"] for case in standing(operator, "formica")["previews"]}


def test_a_closed_issue_takes_its_plan_along(reporter: Agent, operator: Client, daemon: str) -> None:
    operator.call("configure_daemon", daemon=daemon, dry_run=False)
    issue = filed(reporter)
    cases(operator, daemon, planned=1)
    operator.call("close_issue", issue_number=issue["issue_number"], resolution={"kind": "by_design"})
    cases(operator, daemon, done=1)
    [plan] = plans(operator, issue)
    assert (plan["snapshot"]["status"], plan["snapshot"]["reason"]) == ("abandoned", "the issue was closed")

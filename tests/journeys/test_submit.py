"""Walk 1: an agent files an issue over MCP, in one call and one transaction."""

from __future__ import annotations

import secrets
from collections import Counter
from typing import get_args

import pytest

from examples.instance import Instance
from examples.mcp_agent import Agent, Mode, connected
from neotoma.operations.client import Client
from neotoma.substrate.models.events import EVENT_TYPES
from tests.journeys.steps import BODY, BUILD, TITLE, end_of_log, events_after, filed, guest_of, refused, stored

pytestmark = pytest.mark.instance

KINDS = ("issue", "conversation", "conversation_message")


@pytest.mark.parametrize("mode", get_args(Mode))
def test_one_call_is_enough(instance: Instance, mode: Mode) -> None:
    with connected(instance.mcp_url, instance.reporter_token, mode) as agent:
        book, _note = stored(agent, "The Ants", "Journey to the Ants")
        issue = filed(agent, entity_ids_to_link=[book], labels=["area/store"])
        status = agent.call("get_issue_status", **guest_of(issue))
    assert issue["issue_number"] >= 1
    assert issue["linked_entity_ids"] == [book]
    assert issue["guest_access_token"].startswith("gst_")
    assert issue["ttl_seconds"] > 0
    assert (issue["replayed"], issue["redaction"]["applied"], issue["warnings"]) == (False, False, [])
    assert (status["title"], status["state"], status["labels"]) == (TITLE, "open", ["area/store"])
    assert status["linked_entity_ids"] == [book]
    [message] = status["messages"]
    assert (message["body"], message["reporter_app_version"]) == (BODY, BUILD)
    assert message["author"] == {"kind": "reporter", "name": "reporter"}


def test_all_of_it_is_one_batch_of_the_log(reporter: Agent, operator: Client) -> None:
    [book] = stored(reporter, "The Superorganism")
    before = end_of_log(operator)
    issue = filed(reporter, entity_ids_to_link=[book])
    log = events_after(operator, before, event_types=list(EVENT_TYPES))
    batch = [event for event in log if event["actor"]["name"] == "reporter"]
    assert [event["seq"] for event in batch] == list(range(batch[0]["seq"], batch[0]["seq"] + len(batch)))
    made = Counter((event["event_type"], event["entity_type"]) for event in batch)
    assert made == {
        **{(f"{what}.created", kind): 1 for what in ("entity", "observation") for kind in KINDS},
        ("relationship.created", "issue"): 2,
        ("relationship.created", "conversation_message"): 1,
    }
    edges = {(event["entity_id"], event["target_entity_id"]) for event in batch if event["target_entity_id"]}
    assert {(issue["entity_id"], book), (issue["entity_id"], issue["conversation_id"])} < edges
    assert {event["thread_id"] for event in batch} == {issue["entity_id"]}


def test_a_repeat_is_the_same_answer_and_writes_nothing(reporter: Agent, operator: Client) -> None:
    key = secrets.token_hex(8)
    first = filed(reporter, idempotency_key=key)
    before = end_of_log(operator)
    assert filed(reporter, idempotency_key=key) == {**first, "replayed": True, "ttl_seconds": first["ttl_seconds"]}
    refusal = refused(reporter, "submit_issue", title="Else", body=BODY, reporter_app_version="1", idempotency_key=key)
    assert refusal.error_code == "IDEMPOTENCY_MISMATCH"
    assert [event for event in events_after(operator, before) if event["actor"]["name"] == "reporter"] == []


def test_a_refused_report_leaves_nothing_and_says_why(reporter: Agent, operator: Client) -> None:
    [book] = stored(reporter, "Ants at Work")
    filed(reporter, entity_ids_to_link=[book])
    before = end_of_log(operator)
    unknown = refused(
        reporter, "submit_issue", title=TITLE, body=BODY, reporter_app_version=BUILD,
        entity_ids_to_link=[book, "ent_000000000000000000000000"],
    )  # fmt: skip
    assert unknown.details["path"] == "entity_ids_to_link.1"
    assert refused(reporter, "submit_issue", title=TITLE, body=BODY).error_code == "ERR_REPORTER_ENVIRONMENT_REQUIRED"
    misspelt = refused(reporter, "submit_issue", title=TITLE, body=BODY, reporter_app_version=BUILD, kinds="bug")
    assert misspelt.error_code == "VALIDATION_FAILED"
    assert [event for event in events_after(operator, before) if event["actor"]["kind"] != "daemon"] == []


def test_secrets_and_personal_data_are_stored_nowhere(reporter: Agent, operator: Client) -> None:
    token, email = "xox" + "b-" + secrets.token_hex(24), f"nora.{secrets.token_hex(3)}@shelfworks.io"
    before = end_of_log(operator)
    issue = filed(reporter, title=f"{email} sees no field", body=f"{BODY}\nSLACK={token}", labels=[f"by {email}"])
    assert issue["redaction"]["counts"] == {"email": 2, "slack_token": 1}
    answers = [issue, reporter.call("get_issue_status", **guest_of(issue)), *events_after(operator, before)]
    answers += [operator.call("retrieve_entity_snapshot", entity_id=issue["entity_id"])]
    assert [text for text in (token, email) if text in str(answers)] == []


def test_a_private_report_is_seen_by_its_reporter_and_by_the_maintainers(
    reporter: Agent, stranger: Agent, operator: Client
) -> None:
    private, public = filed(reporter), filed(reporter, visibility="public")
    for issue in (private, public):
        assert reporter.call("get_issue_status", issue_number=issue["issue_number"])["title"] == TITLE
        assert operator.get_issue_status(issue["issue_number"])["title"] == TITLE
    assert stranger.call("get_issue_status", issue_number=public["issue_number"])["title"] == TITLE
    assert refused(stranger, "get_issue_status", issue_number=private["issue_number"]).error_code == "NOT_FOUND"
    listed = [row["issue_number"] for row in stranger.call("list_issues", search="declared", limit=100)["issues"]]
    assert public["issue_number"] in listed
    assert private["issue_number"] not in listed

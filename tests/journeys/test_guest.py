"""Walk 3: a reporter reads the status with its guest token and with nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests

from examples.instance import Instance
from examples.mcp_agent import Agent, connected
from neotoma.operations.client import Client
from tests.journeys.steps import (
    Answer,
    end_of_log,
    events_after,
    filed,
    got,
    guest_of,
    refusal_of,
    refused,
    stored,
)

pytestmark = pytest.mark.instance

UNKNOWN = "ent_0123456789abcdef01234567"


@pytest.fixture(scope="module")
def book(reporter: Agent) -> str:
    return stored(reporter, "The Leafcutter Ants")[0]


@pytest.fixture(scope="module")
def issue(reporter: Agent, book: str) -> Answer:
    return filed(reporter, entity_ids_to_link=[book])


@pytest.fixture(scope="module")
def foreign(reporter: Agent) -> Answer:
    """Another report of the same reporter, with a grant of its own."""
    return filed(reporter)


@pytest.fixture(scope="module")
def guest(instance: Instance, issue: Answer) -> Iterator[Agent]:
    """An agent that presents the guest token as its credential."""
    with connected(instance.mcp_url, issue["guest_access_token"]) as agent:
        yield agent


def bearer(issue: Answer) -> str:
    return f"Bearer {issue['guest_access_token']}"


def test_every_door_answers_the_same(instance: Instance, nobody: Agent, guest: Agent, issue: Answer) -> None:
    by_argument = nobody.call("get_issue_status", **guest_of(issue))
    by_credential = guest.call("get_issue_status", entity_id=issue["entity_id"])
    rest = got(instance, f"issues/{issue['issue_number']}", bearer(issue))
    assert (rest.status_code, rest.json()) == (200, by_argument)
    assert by_credential == by_argument
    assert by_argument["linked_entity_ids"] == issue["linked_entity_ids"]


def test_reading_writes_nothing(instance: Instance, guest: Agent, operator: Client, issue: Answer) -> None:
    before = end_of_log(operator)
    first = guest.call("get_issue_status", issue_number=issue["issue_number"])
    again = guest.call("get_issue_status", issue_number=issue["issue_number"], after=first["cursor"])
    assert (again["unchanged"], again["messages"]) == (True, [])
    assert got(instance, f"issues/{issue['issue_number']}", bearer(issue)).status_code == 200
    assert [event for event in events_after(operator, before) if event["thread_id"] == issue["entity_id"]] == []


def test_question_and_answer(nobody: Agent, operator: Client, reporter: Agent) -> None:
    issue = filed(reporter)
    cursor = nobody.call("get_issue_status", **guest_of(issue))["cursor"]
    operator.add_issue_message(issue["issue_number"], "Does it happen with other fields?")
    asked = nobody.call("get_issue_status", after=cursor, **guest_of(issue))
    assert (asked["unchanged"], asked["awaiting"]) == (False, "reporter")
    assert [message["body"] for message in asked["messages"]] == ["Does it happen with other fields?"]
    nobody.call("add_issue_message", body="With `copies` too, when it is 0.", **guest_of(issue))
    thread = operator.get_issue_status(issue["issue_number"])
    assert [message["author"]["kind"] for message in thread["messages"]] == ["reporter", "maintainer", "reporter"]
    assert thread["awaiting"] == "maintainer"


def test_foreign_and_unknown_issues_are_the_same_404(
    instance: Instance, nobody: Agent, guest: Agent, issue: Answer, foreign: Answer
) -> None:
    paths = (foreign["issue_number"], foreign["entity_id"], 1_000_000, UNKNOWN, issue["conversation_id"])
    answers = [got(instance, f"issues/{path}", bearer(issue)) for path in paths]
    assert [answer.status_code for answer in answers] == [404] * len(paths)
    token = {"guest_access_token": issue["guest_access_token"]}
    refusals = [
        *(refused(guest, "get_issue_status", **named) for named in _names(foreign)),
        *(refused(nobody, "get_issue_status", **named, **token) for named in _names(foreign)),
        refused(guest, "add_issue_message", body="Mine?", issue_number=foreign["issue_number"]),
    ]
    said = {refusal_of(answer) for answer in answers} | {refusal_of(refusal) for refusal in refusals}
    assert said == {("NOT_FOUND", "There is no such issue that you can see.")}


def _names(foreign: Answer) -> list[dict[str, Any]]:
    named = [{"issue_number": foreign["issue_number"]}, {"issue_number": 1_000_000}]
    return [*named, {"entity_id": foreign["entity_id"]}, {"entity_id": UNKNOWN}]


@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        ("Bearer gst_unknown", "GUEST_TOKEN_INVALID"),
        ("Bearer ntk_unknown", "TOKEN_INVALID"),
        ("Bearer nonsense", "TOKEN_INVALID"),
        ("Bearer", "TOKEN_INVALID"),
        ("Basic dTpw", "TOKEN_INVALID"),
    ],
)
def test_a_bad_credential_is_401_at_every_door(
    instance: Instance, issue: Answer, authorization: str, code: str
) -> None:
    rest = got(instance, f"issues/{issue['issue_number']}", authorization)
    mcp = posted(instance, authorization, issue_number=issue["issue_number"])
    for answer in (rest, mcp):
        assert (answer.status_code, answer.json()["error_code"]) == (401, code)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer ")


def test_a_bad_argument_is_refused_where_the_model_can_mend_it(
    instance: Instance, nobody: Agent, issue: Answer
) -> None:
    path, changed = f"issues/{issue['issue_number']}", issue["guest_access_token"][:-1]
    rest = [got(instance, f"{path}?guest_access_token={changed}"), got(instance, path)]
    assert [answer.status_code for answer in rest] == [401, 401]
    over_mcp = [{**guest_of(issue), "guest_access_token": changed}, {"issue_number": issue["issue_number"]}]
    refusals = [refused(nobody, "get_issue_status", **arguments) for arguments in over_mcp]
    codes = ["GUEST_TOKEN_INVALID", "AUTH_REQUIRED"]
    assert [answer.json()["error_code"] for answer in rest] == codes
    assert [refusal.error_code for refusal in refusals] == codes


def test_the_token_opens_its_thread_and_nothing_else(
    instance: Instance, guest: Agent, issue: Answer, book: str
) -> None:
    assert refused(guest, "retrieve_entity_snapshot", entity_id=book).error_code == "INSUFFICIENT_SCOPE"
    assert refused(guest, "list_issues").error_code == "INSUFFICIENT_SCOPE"
    assert refused(guest, "store", entities=[{"entity_type": "book", "title": "x"}]).error_code == "INSUFFICIENT_SCOPE"
    assert got(instance, f"entities/{book}", bearer(issue)).status_code == 403
    seen = guest.call("list_events", limit=100)["events"]
    assert {event["thread_id"] for event in seen} == {issue["entity_id"]}


def posted(instance: Instance, authorization: str, **arguments: Any) -> requests.Response:
    """A call of get_issue_status over MCP, just as it is answered."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "get_issue_status", "arguments": arguments},
    }
    headers = {"Accept": "application/json, text/event-stream", "Authorization": authorization}
    return requests.post(instance.mcp_url, json=message, headers=headers, timeout=30)

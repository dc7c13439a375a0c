"""The reporter's side: an agent over MCP that meets a bug while it does something else."""

from __future__ import annotations

from typing import Any

from examples.demo.planted import Planted
from examples.demo.screen import Screen, expect
from examples.mcp_agent import Agent

TITLE = "store_entity drops lent_out when its value is False"
BUILD = "1.1.0"


def introduce(screen: Screen, agent: Agent) -> None:
    """Say hello, as every MCP client does."""
    server, tools = agent.client.server_info, agent.tools()
    expect(server is not None and {"store", "submit_issue", "get_issue_status"} <= set(tools), "the tools are listed")
    screen.got(f"{server.name if server else ''}, MCP {agent.client.protocol_version}, {len(tools)} tools")


def store(screen: Screen, agent: Agent) -> str:
    """Store a book and a note; answers the id of the book."""
    book = {"entity_type": "book", "title": "The Ants", "author": "Hölldobler and Wilson", "lent_out": False}
    note = {"entity_type": "note", "title": "Reading list", "text": "The Ants, then Journey to the Ants."}
    screen.sent("store(entities=[book 'The Ants', note 'Reading list'])")
    stored = agent.call("store", entities=[book, note])["entities"]
    expect([one["action"] for one in stored] == ["created", "created"], "two entities are created")
    for one in stored:
        screen.got(f"{one['action']} {one['entity_type']} {one['entity_id']}")
    return str(stored[0]["entity_id"])


def file(screen: Screen, agent: Agent, book: str, planted: Planted) -> dict[str, Any]:
    """File the issue; what must not be stored is replaced before it is."""
    screen.sent(f"submit_issue(title={TITLE!r},")
    screen.sent(f"  reporter_app_version={BUILD!r}, entity_ids_to_link=[{book}],")
    screen.sent(f"  body='... export TOKEN={planted.token[:6]}… ... from {planted.email[:5]}…')")
    answer = agent.call(
        "submit_issue",
        title=TITLE,
        body=_body(planted),
        reporter_app_version=BUILD,
        entity_ids_to_link=[book],
        idempotency_key=f"demo:{book}",
    )
    expect(answer["linked_entity_ids"] == [book], "the issue refers to the book")
    expect(answer["guest_access_token"].startswith("gst_"), "there is a guest token")
    expect(
        answer["redaction"]["applied"] and sum(answer["redaction"]["counts"].values()) == 2, "two texts are replaced"
    )
    screen.got(f"issue {answer['issue_number']}, {answer['visibility']}, {answer['entity_id']}")
    screen.got(f"redacted before storing: {answer['redaction']['counts']}")
    screen.got(f"guest token {answer['guest_access_token'][:8]}…, good until {answer['guest_access_token_expires_at']}")
    return answer


def read(screen: Screen, guest: Agent, issue: dict[str, Any]) -> None:
    """Ask how it stands with nothing but the guest token, twice: the second time nothing is new."""
    credentials = {"issue_number": issue["issue_number"], "guest_access_token": issue["guest_access_token"]}
    screen.sent(
        f"get_issue_status(issue_number={issue['issue_number']}, guest_access_token=gst_…), without any other token"
    )
    status = guest.call("get_issue_status", **credentials)
    expect(status["entity_id"] == issue["entity_id"] and status["state"] == "open", "the reporter reads its issue")
    screen.got(f"{status['state']}, {status['status']}, awaiting {status['awaiting']}: {status['title']!r}")
    screen.note(status["messages"][0]["body"].splitlines()[-1])
    screen.sent("get_issue_status(..., after=cursor)")
    expect(guest.call("get_issue_status", **credentials, after=status["cursor"])["unchanged"], "nothing is new")
    screen.got("unchanged: the agent stays silent")


def _body(planted: Planted) -> str:
    return (
        "I call `Shelf().store_entity('b1', 'book', {'title': 'The Ants', 'lent_out': False})` and read it back with "
        "`read_entity('b1')`.\n\nExpected `lent_out: False`, got a book without that field.\n\n"
        f"My shell before it: export GITHUB_TOKEN={planted.token}, and questions go to {planted.email}."
    )

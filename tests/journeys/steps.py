"""Steps that the journeys share: what is stored and filed, what the log says, waiting for what workers do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest
import requests

from examples.instance import Instance, wait_for
from examples.mcp_agent import Agent, ToolRefused
from neotoma.operations.client import Client
from neotoma.substrate.models.events import EVENT_TYPES

Answer = dict[str, Any]
Read = TypeVar("Read")

SECONDS = 120.0  # workers need a second or two; a busy machine is slow and not broken
TITLE = "Storing an entity drops a declared field"
BODY = "`store_entity` loses `lent_out` when its value is False. Expected False, got nothing."
BUILD = "1.1.0"


def stored(agent: Agent, *titles: str) -> list[str]:
    """Store a book for each title; answers their ids."""
    answer = agent.call("store", entities=[{"entity_type": "book", "title": title} for title in titles])
    return [one["entity_id"] for one in answer["entities"]]


def filed(agent: Agent, **fields: Any) -> Answer:
    """File a complete bug report, but for what `fields` say."""
    return agent.call("submit_issue", **{"title": TITLE, "body": BODY, "reporter_app_version": BUILD, **fields})


def guest_of(issue: Answer) -> dict[str, Any]:
    """The arguments by which a guest names its issue and proves itself."""
    return {"issue_number": issue["issue_number"], "guest_access_token": issue["guest_access_token"]}


def refused(agent: Agent, tool: str, /, **arguments: Any) -> ToolRefused:
    """The refusal of a call over MCP."""
    with pytest.raises(ToolRefused) as caught:
        agent.call(tool, **arguments)
    return caught.value


def got(instance: Instance, path: str, authorization: str | None = None) -> requests.Response:
    """A GET of the REST surface, just as it is answered."""
    headers = {"Authorization": authorization} if authorization is not None else {}
    return requests.get(f"{instance.base_url}/api/{path}", headers=headers, timeout=30)


def events_after(operator: Client, cursor: int, **filters: Any) -> list[Answer]:
    """Everything in the log after a cursor, in order."""
    found: list[Answer] = []
    while True:
        page = operator.call("list_events", after=cursor, limit=100, **filters)
        if not page["events"]:
            return found
        found += page["events"]
        cursor = page["next_cursor"]


def end_of_log(operator: Client) -> int:
    """The seq of the newest event of any type."""
    return max((event["seq"] for event in events_after(operator, 0, event_types=list(EVENT_TYPES))), default=0)


def eventually(read: Callable[[], Read], holds: Callable[[Read], bool]) -> Read:
    """What was read once it is as it should be; fails with the last reading."""
    last: list[Read] = []

    def settled() -> bool:
        last[:] = [read()]
        return holds(last[0])

    wait_for(settled, SECONDS, lambda: repr(last))
    return last[0]


def refusal_of(answer: requests.Response | ToolRefused) -> tuple[str, str]:
    """Code and message of a refusal, from whatever door."""
    if isinstance(answer, ToolRefused):
        return answer.error_code, answer.message
    body = answer.json()
    return body["error_code"], body["message"]

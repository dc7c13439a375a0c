"""Equal requests at once: one issue, one conversation, one grant, one event."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import requests

from neotoma.access.bootstrap import mint
from neotoma.access.models import Agent
from neotoma.operations.invoke import call
from tests.faults.stored import PARTS, read
from tests.faults.web import web
from tests.support import callers
from tests.support.databases import closing_connections

AT_ONCE = 20
ROUNDS, CALLERS = 5, 4
KEY = "a-key-that-twenty-requests-share"
REPORT = {"title": "store drops due_date", "body": "A field is lost.", "reporter_app_version": "1.2.3"}


def _post(url: str, token: str, report: dict[str, str]) -> requests.Response:
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": KEY, "Content-Type": "application/json"}
    return requests.post(f"{url}/api/issues", json.dumps(report), headers=headers, timeout=60)


def _at_once(url: str, token: str) -> list[requests.Response]:
    barrier = Barrier(AT_ONCE)

    def client(_: int) -> requests.Response:
        barrier.wait()
        return _post(url, token, REPORT)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(client, range(AT_ONCE)))


def _same(answer: requests.Response) -> tuple[Any, ...]:
    body = answer.json()
    return tuple(body[name] for name in ("issue_number", "entity_id", "conversation_id", "guest_access_token"))


@pytest.mark.instance
def test_twenty_equal_requests_make_one_issue(committed: str, tmp_path: Path) -> None:
    token = mint(agent=Agent.objects.create(name="twenty"), scopes=["report"])
    with web(committed, tmp_path) as url:
        answers = _at_once(url, token)
        accepted = [answer for answer in answers if answer.status_code == 201]
        waiting = [answer for answer in answers if answer.status_code == 503 and "Retry-After" in answer.headers]
        assert len(accepted) + len(waiting) == AT_ONCE
        assert len({_same(answer) for answer in accepted}) == 1
        assert sum(not answer.json()["replayed"] for answer in accepted) == 1

        reordered = _post(url, token, dict(reversed(REPORT.items())))
        assert (reordered.status_code, reordered.json()["replayed"]) == (201, True)
        assert _same(reordered) == _same(accepted[0])
        other = _post(url, token, {**REPORT, "title": "another report"})
        assert (other.status_code, other.json()["error_code"]) == (409, "IDEMPOTENCY_MISMATCH")
    stored = read(committed)
    assert [issue.entity_id for issue in stored.issues] == [accepted[0].json()["entity_id"]]
    assert [dict(parts) for parts in stored.parts.values()] == [dict.fromkeys(PARTS, 1)]
    assert len(stored.remembered) == 1


@pytest.mark.usefixtures("committed")
def test_what_the_same_call_did_meanwhile_is_answered_not_refused() -> None:
    boss = callers.operator()
    for number in range(ROUNDS):
        issue = callers.filed(callers.reporter())["issue_number"]
        arguments = {"issue_number": issue, "resolution": {"kind": "answered"}, "idempotency_key": f"close-{number}"}
        barrier = Barrier(CALLERS)

        def close(_: int, barrier: Barrier = barrier, arguments: dict[str, Any] = arguments) -> dict[str, Any]:
            with closing_connections():
                barrier.wait()
                return call("close_issue", arguments, boss)

        with ThreadPoolExecutor(CALLERS) as pool:
            answers = list(pool.map(close, range(CALLERS)))
        assert sum(not answer["replayed"] for answer in answers) == 1
        assert {answer["state"] for answer in answers} == {"closed"}

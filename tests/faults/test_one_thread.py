"""Many voices on one thread at once: each message has a place of its own, and nobody is turned away for ever."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError

from issues.models import Issue
from neotoma.operations.invoke import Busy, Caller, call
from neotoma.submissions.models import Message
from tests.support import callers
from tests.support.databases import closing_connections

VOICES, EACH = 8, 4


def _speak(boss: Caller, issue: int, voice: int) -> None:
    """Say everything; a busy database is asked again under the same key, a bounded number of times."""
    with closing_connections():
        for number in range(EACH):
            arguments = {
                "issue_number": issue,
                "body": f"{voice} says {number}",
                "idempotency_key": f"{voice}-{number}",
            }
            for _ in range(20):
                try:
                    call("add_issue_message", arguments, boss)
                    break
                except (Busy, OperationalError):
                    continue


@pytest.mark.usefixtures("committed")
def test_messages_at_once_are_all_kept_in_order() -> None:
    boss, issue = callers.operator(), callers.filed(callers.reporter())
    with ThreadPoolExecutor(VOICES) as pool:
        list(pool.map(lambda voice: _speak(boss, issue["issue_number"], voice), range(VOICES)))
    positions = list(Message.objects.of(issue["entity_id"]).order_by("position").values_list("position", flat=True))
    assert positions == list(range(1, VOICES * EACH + 2))
    assert Issue.objects.get(pk=issue["entity_id"]).message_count == len(positions)

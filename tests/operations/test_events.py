from __future__ import annotations

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.filters import EventFilter
from neotoma.substrate.models import Event
from tests.support import callers

pytestmark = pytest.mark.django_db


def test_an_issues_id_covers_its_messages_as_it_does_for_a_webhook() -> None:
    boss = callers.operator()
    issue = callers.filed(callers.reporter())
    callers.filed(callers.reporter())
    message = call("add_issue_message", {"issue_number": issue["issue_number"], "body": "Looking."}, boss)
    wanted = EventFilter.of(entity_ids=[issue["entity_id"]])
    listed = call("list_events", {"entity_ids": [issue["entity_id"]], "limit": 100}, boss)["events"]
    assert [e["seq"] for e in listed] == [e.seq for e in Event.objects.order_by("seq") if wanted.matches(e)]
    assert message["message_id"] in {e["entity_id"] for e in listed}


def test_observations_come_only_when_they_are_named() -> None:
    agent = callers.agent()
    callers.stored(agent, title="x")
    assert [e["event_type"] for e in call("list_events", {}, agent)["events"]] == ["entity.created"]
    named = call("list_events", {"event_types": ["observation.created"]}, agent)["events"]
    assert [e["event_type"] for e in named] == ["observation.created"]

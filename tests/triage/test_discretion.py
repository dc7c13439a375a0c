"""What readers learn through plans and daemons, and what they must not."""

from __future__ import annotations

import json

import pytest

from neotoma.consumers import drain
from neotoma.operations.invoke import call
from neotoma.substrate.actors import Audience
from neotoma.substrate.errors import ManagedType
from neotoma.substrate.models import Entity, Event
from tests.support import callers
from tests.triage.desk import BODY, case_of, filed, live, plan_of, settled
from triage.consumers import intake
from triage.models import Case, DaemonConfig
from triage.tasks import make_default, sweep

pytestmark = pytest.mark.django_db

ERROR = BODY + "\nKeyError: 'lent_out'"


@pytest.mark.parametrize("kind", ["bug", "enhancement"])
def test_the_plan_of_a_public_issue_says_nothing_of_private_ones(kind: str) -> None:
    live()
    secret = filed(body=ERROR, kind=kind, visibility="private")
    shown = [filed(body=ERROR, kind=kind, visibility="public") for _ in range(2)]
    settled()
    plan = plan_of(shown[0])
    related = plan.entity.snapshot["related_issues"]
    assert [item["entity_id"] for item in related] == [shown[1]["entity_id"]]
    told = _read_by_an_agent(plan.pk)
    assert plan.pk in told
    assert secret["entity_id"] not in told
    assert f"#{secret['issue_number']}" not in told
    assert plan_of(secret).entity.visibility == "private"


def _read_by_an_agent(plan_id: str) -> str:
    """Everything on plans that an agent without read:private gets to read."""
    agent = callers.agent("read", "write", "work")
    told = [call("retrieve_entity_snapshot", {"entity_id": plan_id, "response_format": "detailed"}, agent)]
    told.append(call("retrieve_entities", {"entity_type": "plan"}, agent))
    told.append(call("list_events", {"limit": 100}, agent))
    return json.dumps(told)


def test_nobody_joins_a_daemon_by_saying_so() -> None:
    live()
    issue = filed(visibility="private")
    settled()
    daemon = DaemonConfig.objects.get()
    agent = callers.agent("read", "write", "work")
    target = callers.stored(agent, title="Somebody else's")
    own = callers.stored(agent, title="Mine")
    refers = {"relationship_type": "REFERS_TO", "source_entity_id": own, "target_entity_id": target}
    joins = {"relationship_type": "PART_OF", "source_entity_id": own, "target_entity_id": daemon.pk}
    with pytest.raises(ManagedType):
        call("create_relationships", {"relationships": [refers, joins]}, agent)
    call("create_relationships", {"relationships": [refers]}, agent)
    seen = set(Entity.objects.visible_to(Audience(roots=frozenset({daemon.pk}))).values_list("pk", flat=True))
    assert not seen & {own, target}
    assert {daemon.pk, plan_of(issue).pk, issue["entity_id"]} <= seen


def test_a_drain_writes_no_facts_and_what_was_filed_first_is_taken_up() -> None:
    issue = filed()
    before = Event.objects.count()
    drain(intake.name)
    assert Event.objects.count() == before
    assert not DaemonConfig.objects.exists()
    make_default()
    drain(intake.name)
    assert case_of(issue).state == "new"
    make_default()
    drain(intake.name)
    assert Case.objects.count() == 1


def test_a_lost_message_only_delays_the_default_daemon() -> None:
    sweep()
    assert not DaemonConfig.objects.exists()
    filed()
    drain(intake.name)
    sweep()
    assert DaemonConfig.objects.get().name == "formica"

"""The daemon's desk in a test: consumers and tasks run in this process, one after the other, until all is quiet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.utils import timezone

from neotoma.consumers import drain
from neotoma.operations.invoke import call
from neotoma.substrate.models import Entity, Event, Observation, Relationship
from tests.support import callers
from triage import cases
from triage.consumers import intake
from triage.daemons import default_is_due
from triage.models import Case, Plan, Run
from triage.runner.tasks import run
from triage.tasks import assess, make_default

BODY = "`store_entity` loses `lent_out` when its value is False. Expected False, got nothing."
VAGUE = {"title": "It does not work", "body": "Nothing works here for me today, please look."}


def filed(**fields: Any) -> dict[str, Any]:
    """A reporter's bug report with everything that is needed, unless `fields` say otherwise."""
    report = {"title": "Storing an entity drops a declared field", "body": BODY, "reporter_app_version": "1.1.0"}
    return callers.filed(callers.reporter(), **{**report, **fields})


def settled() -> list[str]:
    """Let events, looks and runs happen until nothing is due; answers what the looks came to."""
    found: list[str] = []
    for _ in range(10):
        drain(intake.name)
        if default_is_due():
            make_default()
            drain(intake.name)
        due = list(cases.due(timezone.now()).values_list("pk", flat=True))
        queued = list(Run.objects.filter(state="queued").values_list("pk", flat=True))
        said = [assess(pk) for pk in due] + [run(pk) for pk in queued]
        found += said
        if not due and not queued:
            break
    return found


def case_of(issue: dict[str, Any]) -> Case:
    return Case.objects.get(issue=issue["entity_id"])


def plan_of(issue: dict[str, Any]) -> Plan:
    return Plan.objects.get(issue=issue["entity_id"])


def configured(**fields: Any) -> None:
    call("configure_daemon", {"fields": fields}, callers.operator())


def live(repository: Path | None = None, **fields: Any) -> None:
    """A daemon that acts on every kind, on this checkout."""
    configured(dry_run=False, **({"repo": str(repository)} if repository else {}), **fields)


def facts() -> tuple[int, int, int, int]:
    """How many facts there are of every sort."""
    return (
        Entity.objects.count(),
        Observation.objects.count(),
        Relationship.objects.count(),
        Event.objects.count(),
    )


def messages(issue: dict[str, Any]) -> list[dict[str, Any]]:
    return list(call("get_issue_status", {"entity_id": issue["entity_id"]}, callers.operator())["messages"])

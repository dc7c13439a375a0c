"""Triage reacts to what was stored: issues become cases, approvals become runs."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.utils import timezone

from neotoma.consumers import after_commit_many, consumer
from neotoma.substrate.models import Event
from triage.daemons import default_is_due
from triage.intake import take
from triage.runner.tasks import run
from triage.tasks import assess, make_default


def wanted() -> Q:
    """Life of issues, decisions on plans, switches of daemons."""
    issues = ("entity.created", "entity.updated", "entity.deleted", "entity.restored")
    return (
        Q(entity_type="issue", event_type__in=issues)
        | Q(entity_type="plan", event_type="entity.updated")
        | Q(entity_type="daemon_config", event_type__in=("entity.created", "entity.updated"))
    )


@consumer("triage.intake", wanted=wanted)
def intake(events: Sequence[Event]) -> None:
    """Write the work rows and, once they are committed, announce what is due.

    The default daemon is made by a task: a drain writes no facts. Its first event brings what was reported before.
    """
    kicks = take(events, timezone.now())
    after_commit_many(make_default, [{}] if default_is_due() else [])
    after_commit_many(assess, [{"case_id": pk} for pk in sorted(kicks.cases)])
    after_commit_many(run, [{"run_id": pk} for pk in sorted(kicks.runs)])

"""A changed entity type wakes the work of bringing its entities in line."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q

from neotoma.consumers import after_commit_many, consumer
from neotoma.operations.tasks import bring_in_line
from neotoma.substrate import catalogue
from neotoma.substrate.models import Backfill, Event


@consumer("neotoma.operations.types", wanted=lambda: Q(entity_type=catalogue.DEFINITION.name))
def wake_backfills(events: Sequence[Event]) -> None:
    """The rows are there already, written with the change; here they are only asked for."""
    after_commit_many(bring_in_line, [{"backfill_id": pk} for pk in Backfill.objects.values_list("pk", flat=True)])

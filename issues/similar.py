"""Issues that look like the one at hand, among those the caller may see."""

from __future__ import annotations

from typing import Any

from issues.models import Issue
from neotoma.operations.context import Context
from neotoma.substrate.models import Entity, Relationship

MOST = 5


def find(context: Context, entity: Entity, linked: list[str]) -> list[dict[str, Any]]:
    """Up to five: the same error first, then those about the same entities."""
    if not context.audience.public and not context.audience.owner:
        return []
    found = {issue.number: _shown(issue, "same error") for issue in _same_error(context, entity)}
    for issue in _same_entities(context, entity, linked) if len(found) < MOST else []:
        found.setdefault(issue.number, _shown(issue, "about the same entities"))
    return list(found.values())[:MOST]


def _same_error(context: Context, entity: Entity) -> list[Issue]:
    signature = entity.snapshot.get("error_signature")
    if not signature:
        return []
    rows = Issue.objects.visible_to(context.audience).alive().filter(error_signature=signature[:300])
    return list(rows.exclude(pk=entity.pk).order_by("-number")[:MOST])


def _same_entities(context: Context, entity: Entity, linked: list[str]) -> list[Issue]:
    if not linked:
        return []
    edges = Relationship.objects.filter(target_id__in=linked, relationship_type="REFERS_TO", deleted_at=None)
    rows = Issue.objects.visible_to(context.audience).alive().filter(pk__in=edges.values("source_id"))
    return list(rows.exclude(pk=entity.pk).order_by("-number")[:MOST])


def _shown(issue: Issue, reason: str) -> dict[str, Any]:
    return {"issue_number": issue.number, "title": issue.title, "state": issue.state, "reason": reason}

"""Issues that look like the one at hand, among those the caller may see."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from issues.models import Issue
from neotoma.operations.context import Context
from neotoma.substrate.actors import Audience
from neotoma.substrate.models import Entity, Relationship
from neotoma.substrate.prepared import prepared

MOST = 5
LOOKED_AT = 3
"""Linked entities that are asked for other issues about them."""


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
    return _with_error(context.audience, signature[:300], entity.pk)


def _same_entities(context: Context, entity: Entity, linked: list[str]) -> list[Issue]:
    """Through the newest edges of the first few entities, so that a much-linked one costs no more than another."""
    sources: list[str] = []
    for target in linked[:LOOKED_AT]:
        sources += _referring(target, entity.pk)
        if len(sources) >= MOST:
            break
    return _among(context.audience, sources) if sources else []


@prepared
def _with_error(audience: Audience, signature: str, but: str) -> QuerySet[Issue]:
    rows = Issue.objects.visible_to(audience).alive().filter(error_signature=signature)
    return rows.exclude(pk=but).order_by("-number")[:MOST]


@prepared
def _among(audience: Audience, ids: list[str]) -> QuerySet[Issue]:
    return Issue.objects.visible_to(audience).alive().filter(pk__in=ids).order_by("-number")[:MOST]


@prepared
def _referring(target: str, but: str) -> QuerySet[Relationship, str]:
    edges = Relationship.objects.filter(target_id=target, relationship_type="REFERS_TO", deleted_at=None)
    return edges.exclude(source_id=but).order_by("-created_at").values_list("source_id", flat=True)[:MOST]


def _shown(issue: Issue, reason: str) -> dict[str, Any]:
    return {"issue_number": issue.number, "title": issue.title, "state": issue.state, "reason": reason}

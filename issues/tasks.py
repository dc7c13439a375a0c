"""Upkeep of issues."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from issues.models import Issue
from neotoma.submissions.grant import extend_grants

BATCH = 500


@shared_task(name="issues.tasks.extend_open_grants")
def extend_open_grants() -> int:
    """A guest's grant lasts as long as its issue is open; answers how many were extended."""
    extended, last = 0, ""
    open_issues = Issue.objects.open().order_by("pk").values_list("pk", flat=True)
    while batch := list(open_issues.filter(pk__gt=last)[:BATCH]):
        extended += extend_grants(batch, timezone.now())
        last = batch[-1]
    return extended

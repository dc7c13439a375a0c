"""Which rows of triage a member of staff sees: reviewers only those of the daemons that they review."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet

from neotoma.substrate.actors import Audience

M = TypeVar("M", bound=Model)


def of_daemons(rows: QuerySet[M], audience: Audience, column: str) -> QuerySet[M]:
    """`column` holds the daemon's id."""
    if audience.internal and audience.private:
        return rows
    return rows.filter(**{f"{column}__in": audience.roots})

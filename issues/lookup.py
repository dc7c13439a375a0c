"""From `issue_number` or `entity_id` to the issue, with the caller's eyes."""

from __future__ import annotations

from django.db.models import QuerySet
from pydantic import Field

from issues.models import Issue
from neotoma.operations.context import Context
from neotoma.operations.shapes import Params
from neotoma.substrate.actors import Audience
from neotoma.substrate.errors import InvalidInput, NotFound
from neotoma.substrate.prepared import prepared


class IssueRef(Params):
    """Names one issue; exactly one of the two is given, or both when they agree."""

    issue_number: int | None = Field(None, ge=1, description="From submit_issue.", examples=[7])
    entity_id: str | None = Field(
        None, max_length=28, description="Or the issue's entity id.", examples=["ent_0123..."]
    )


def find_issue(context: Context, ref: IssueRef, *, withdrawn: bool = False) -> Issue:
    """The issue; unknown and invisible ones are the same refusal."""
    if ref.issue_number is None and ref.entity_id is None:
        raise InvalidInput.at("issue_number", "give issue_number or entity_id")
    found = _issues(context.audience, ref.issue_number, ref.entity_id)
    if not found or (found[0].withdrawn and not withdrawn):
        raise NotFound(
            "There is no such issue that you can see.",
            details=ref.model_dump(include={"issue_number", "entity_id"}, exclude_none=True),
        )
    return found[0]


@prepared
def _issues(audience: Audience, number: int | None, entity_id: str | None) -> QuerySet[Issue]:
    rows = Issue.objects.visible_to(audience).select_related("entity")
    rows = rows if number is None else rows.filter(number=number)
    return rows if entity_id is None else rows.filter(entity_id=entity_id)

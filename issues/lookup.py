"""From `issue_number` or `entity_id` to the issue, with the caller's eyes."""

from __future__ import annotations

from pydantic import Field

from issues.models import Issue
from neotoma.operations.context import Context
from neotoma.operations.shapes import Params
from neotoma.substrate.errors import InvalidInput, NotFound


class IssueRef(Params):
    """Names one issue; exactly one of the two is given, or both when they agree."""

    issue_number: int | None = Field(None, ge=1, description="From submit_issue.", examples=[7])
    entity_id: str | None = Field(
        None, max_length=28, description="Or the issue's entity id.", examples=["ent_0123..."]
    )


def find_issue(context: Context, ref: IssueRef, *, withdrawn: bool = False) -> Issue:
    """The issue; unknown and invisible ones are the same refusal."""
    named = {"number": ref.issue_number, "entity_id": ref.entity_id}
    given = {name: value for name, value in named.items() if value is not None}
    if not given:
        raise InvalidInput.at("issue_number", "give issue_number or entity_id")
    rows = Issue.objects.visible_to(context.audience).filter(**given).select_related("entity")
    issue = (rows if withdrawn else rows.alive()).first()
    if issue is None:
        raise NotFound(
            "There is no such issue that you can see.",
            details={k.replace("number", "issue_number"): v for k, v in given.items()},
        )
    return issue

"""Names of branches that runs make (pure)."""

from __future__ import annotations

from triage.schemas import PlanKind


def branch_name(kind: PlanKind, issue_id: str) -> str:
    """The same for the same issue, and without a word of what may be private."""
    return f"formica/{kind}-{issue_id.removeprefix('ent_')[:8]}"

"""The guide for agents at triage names only what there is."""

from __future__ import annotations

import re
from pathlib import Path

from neotoma.operations import mcp
from neotoma.operations.registry import operations

GUIDE = (Path(mcp.__file__).parent / "guides" / "triage.md").read_text(encoding="utf-8")
FIELDS = {"awaiting", "resolution", "still_failing", "undo"}


def test_the_guide_names_registered_operations() -> None:
    named = set(re.findall(r"`([a-z_]+)[`(]", GUIDE))
    assert named - FIELDS <= operations().keys()
    assert {"list_issues", "get_issue_status", "add_issue_message", "list_events"} <= named


def test_work_is_claimed_only_where_there_is_a_claim() -> None:
    assert any("claim" in name for name in operations()) or "claim" not in GUIDE.casefold()

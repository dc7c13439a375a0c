"""What an event means to triage (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Meaning = Literal["filed", "answered", "reopened", "closed", "approved", "rejected", "asked", "switched", "nothing"]

CLOSED = frozenset({"done", "cancelled"})
"""Issue statuses in which nothing is left to do."""
_DECISIONS: Mapping[str, Meaning] = {"approved": "approved", "rejected": "rejected", "awaiting_input": "asked"}


def meaning(event_type: str, entity_type: str, changed: Mapping[str, Any]) -> Meaning:
    """`changed` maps each changed field to its old and new value."""
    if entity_type == "daemon_config":
        return "switched"
    if entity_type == "plan":
        return _DECISIONS.get(_new(changed, "status"), "nothing") if event_type == "entity.updated" else "nothing"
    if entity_type != "issue":
        return "nothing"
    if event_type in ("entity.created", "entity.restored"):
        return "filed"
    return "closed" if event_type == "entity.deleted" else _issue_change(changed)


def _issue_change(changed: Mapping[str, Any]) -> Meaning:
    """A message is also a change of its issue; when the reporter wrote, it is the maintainer's turn."""
    was, now = _old(changed, "status") in CLOSED, _new(changed, "status") in CLOSED
    if now and not was:
        return "closed"
    if was and not now:
        return "reopened"
    return "answered" if _new(changed, "awaiting") == "maintainer" else "nothing"


def _new(changed: Mapping[str, Any], name: str) -> Any:
    return changed.get(name, {}).get("new")


def _old(changed: Mapping[str, Any], name: str) -> Any:
    return changed.get(name, {}).get("old")

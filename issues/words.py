"""The closed lists of issues, and the rules between them (pure)."""

from __future__ import annotations

from typing import Literal

Kind = Literal["bug", "performance", "enhancement", "question", "security"]
Classification = Literal["bug", "performance", "enhancement", "question", "security", "test"]
Status = Literal["backlog", "todo", "in_progress", "review", "done", "cancelled"]
State = Literal["open", "closed"]
ResolutionKind = Literal["fixed", "wont_fix", "duplicate", "not_reproducible", "answered", "by_design", "test"]
Awaiting = Literal["reporter", "maintainer", "none"]

CLOSED: frozenset[str] = frozenset({"done", "cancelled"})
RESOLUTION_STATUS: dict[str, Status] = {
    "fixed": "done",
    "answered": "done",
    "wont_fix": "cancelled",
    "duplicate": "cancelled",
    "not_reproducible": "cancelled",
    "by_design": "cancelled",
    "test": "cancelled",
}
NOTES = ("system", "mirror")
"""Kinds of author whose messages are nobody's turn."""


def state_of(status: str) -> State:
    """Open unless done or cancelled."""
    return "closed" if status in CLOSED else "open"


def shown_status(status: str, blocked: bool) -> str:
    """`in_progress:blocked` while work is blocked, else the status."""
    return f"{status}:blocked" if blocked and status == "in_progress" else status


def awaiting_after(author_kind: str, asks: bool, before: Awaiting) -> Awaiting:
    """Whose turn it is after a message: the reporter's when the maintainer's side asks, the maintainer's when the
    reporter spoke, else nobody's. System and mirror notes change nothing."""
    if author_kind in NOTES:
        return before
    if author_kind == "reporter":
        return "maintainer"
    return "reporter" if asks else "none"

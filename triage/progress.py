"""What the status of an issue says of the work on it (pure).

A stored plan takes an issue from the backlog. An approval, or a start without one, puts it in progress, and there it
stays, blocked, while a person has to go on. A plan that is given up puts it back among what is to be done. What people
said meanwhile stands: each step moves an issue only from where the step before left it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Progress:
    """One step. `since`: statuses from which it is taken."""

    status: str
    since: tuple[str, ...]
    blocked: bool = False

    @property
    def arguments(self) -> dict[str, Any]:
        """Of the operation that says so."""
        return {"status": self.status, "blocked": self.blocked, "only_from": list(self.since)}


PLANNED = Progress("todo", ("backlog",))
BEGUN = Progress("in_progress", ("backlog", "todo", "in_progress"))
HANDED_OVER = Progress("in_progress", ("in_progress",), blocked=True)
GIVEN_UP = Progress("todo", ("in_progress", "review"))

"""Refusals: every expected error has a code, a message, a hint and details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class Refusal(Exception):
    """An expected "no". Surfaces turn it into a 4xx or 503 body; it is never a 500.

    Subclasses set `error_code` (stable, upper case), `status` (HTTP) and a default `hint`.
    """

    error_code: ClassVar[str] = "REFUSED"
    status: ClassVar[int] = 422
    hint: str = ""

    def __init__(self, message: str, *, hint: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.hint if hint is None else hint
        self.details: dict[str, Any] = dict(details or {})

    def body(self) -> dict[str, Any]:
        """The wire shape, without the request id that the surface adds."""
        return {"error_code": self.error_code, "message": self.message, "hint": self.hint, "details": self.details}


class InvalidInput(Refusal):
    """A value breaks a rule; `details.fields` names each one by path."""

    error_code = "VALIDATION_FAILED"
    status = 422

    @classmethod
    def at(cls, path: str, problem: str, *, hint: str = "") -> InvalidInput:
        return cls(f"{path}: {problem}", hint=hint, details={"fields": [{"path": path, "problem": problem}]})


class NotFound(Refusal):
    """Unknown, or not visible to the caller: both look the same."""

    error_code = "NOT_FOUND"
    status = 404
    hint = "Check the id, or list what you can see."


class Conflict(Refusal):
    """What is stored differs from what the caller expected."""

    error_code = "CONFLICT"
    status = 409


class ExpectationFailed(Conflict):
    """`expect` named a value that the entity no longer has; `details` holds the current one."""

    error_code = "EXPECTATION_FAILED"
    hint = "Read the entity again and decide on its current state."


class ManagedType(Refusal):
    """Generic writes on a managed type; `details.use` names the operations to call."""

    error_code = "ERR_MANAGED_TYPE"
    status = 403


class UnknownLinkTarget(Refusal):
    """Unknown and unreadable link targets get one identical answer."""

    error_code = "LINK_TARGET_UNKNOWN"
    status = 422
    hint = "Link only ids that you can read; store the entity first."


class WriteRace(Exception):
    """Two transactions made the same row; the unit of work runs again. Never reaches a caller."""

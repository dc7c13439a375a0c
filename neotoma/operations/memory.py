"""Idempotency: the same key and content answers what it answered before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django.db import IntegrityError
from django.db.models import QuerySet
from pydantic import BaseModel

from neotoma.access.principals import Principal
from neotoma.operations.models import Call
from neotoma.substrate import rows
from neotoma.substrate.canonical import digest
from neotoma.substrate.errors import Conflict, InvalidInput, WriteRace
from neotoma.substrate.prepared import prepared

ANONYMOUS_KEY_LENGTH = 22
"""Characters: callers without a name share one key space, so their keys must be hard to guess."""


class KeyReused(Conflict):
    """The key was used for other content."""

    error_code: ClassVar[str] = "IDEMPOTENCY_MISMATCH"
    hint = "Use a new idempotency_key for new content."


@dataclass(frozen=True, slots=True)
class Request:
    """A keyed call. Keys belong to their principal; the order of JSON keys does not matter."""

    principal: Principal
    operation: str
    key: str
    params: BaseModel

    @property
    def owner(self) -> str:
        """Whose key space it is: a guest's is its grant's, though it acts under the name of who was granted it."""
        return self.principal.credential if self.principal.role == "guest" else self.principal.actor.key

    @property
    def digest(self) -> str:
        content = self.params.model_dump(mode="json", exclude={"idempotency_key", "guest_access_token"})
        return digest({"operation": self.operation, "params": content})


def recall(request: Request, now: datetime) -> dict[str, Any] | None:
    """The saved answer, or None; refuses the key for other content."""
    if request.principal.role == "anonymous" and len(request.key) < ANONYMOUS_KEY_LENGTH:
        raise InvalidInput.at(
            "idempotency_key", f"without a token it needs {ANONYMOUS_KEY_LENGTH} characters", hint="Send a UUID."
        )
    held = _calls(request.owner, request.operation, request.key)
    if not held:
        return None
    row = held[0]
    if row.expires_at <= now:
        row.delete()
        return None
    if row.request_digest != request.digest:
        raise KeyReused("This idempotency_key was used for other content.", details={"path": "idempotency_key"})
    answer: dict[str, Any] = row.answer
    return answer


@prepared
def _calls(owner: str, operation: str, key: str) -> QuerySet[Call]:
    return Call.objects.filter(actor_key=owner, operation=operation, key=key)


def keep(request: Request, answer: dict[str, Any], now: datetime, expires_at: datetime) -> None:
    """Save the answer in the transaction of the write; the loser of a race runs again and finds it."""
    try:
        rows.insert(
            [
                Call(
                    actor_key=request.owner,
                    operation=request.operation,
                    key=request.key,
                    request_digest=request.digest,
                    answer=answer,
                    created_at=now,
                    expires_at=expires_at,
                )
            ]
        )
    except IntegrityError as error:
        raise WriteRace("the same key was used at the same time") from error

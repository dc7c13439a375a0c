"""The audit: a row for each write, and one for each refusal."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from neotoma.access.principals import Principal
from neotoma.operations.context import Context, Surface
from neotoma.operations.models import AuditEntry
from neotoma.operations.registry import Operation
from neotoma.substrate import rows
from neotoma.substrate.errors import Refusal


def record(op: Operation, context: Context, principal: Principal) -> None:
    """The row of a write that was done, in its transaction."""
    entry = _entry(
        principal,
        at=context.now,
        operation=op.name,
        risk=op.risk,
        surface=context.surface,
        outcome="done",
        subject=context.subject,
        details=context.notes,
        request_id=context.request_id,
    )
    rows.insert([entry])


def record_refusal(op: Operation, principal: Principal, surface: Surface, request_id: str, refusal: Refusal) -> None:
    """The row of a refusal, in a transaction of its own: what was asked for has been rolled back."""
    _entry(
        principal,
        operation=op.name,
        risk=op.risk,
        surface=surface,
        outcome="refused",
        error_code=refusal.error_code,
        request_id=request_id,
    ).save(force_insert=True)


def record_page(principal: Principal, action: str, subject: str, details: dict[str, Any], request_id: str) -> None:
    """The row of what a person changed in the admin without an operation: credentials and upkeep, never facts."""
    _entry(
        principal,
        operation=action,
        risk="mid",
        surface="admin",
        outcome="done",
        subject=subject,
        details=details,
        request_id=request_id,
    ).save(force_insert=True)


def record_stranger(surface: Surface, request_id: str, refusal: Refusal, now: datetime) -> None:
    """The row of a credential that did not count: nobody's name, only the reason."""
    entry = AuditEntry(
        at=now,
        actor_key="unknown",
        actor_kind="system",
        role="unknown",
        operation="authenticate",
        risk="low",
        surface=surface,
        outcome="refused",
        error_code=refusal.error_code,
        request_id=request_id,
    )
    rows.insert([entry])


def _entry(principal: Principal, **columns: Any) -> AuditEntry:
    actor = principal.actor
    return AuditEntry(actor_key=actor.key, actor_kind=actor.kind, actor_name=actor.name, role=principal.role, **columns)

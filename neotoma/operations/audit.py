"""The audit: a row for each write, and one for each refusal."""

from __future__ import annotations

from typing import Any

from neotoma.access.principals import Principal
from neotoma.operations.context import Context, Surface
from neotoma.operations.models import AuditEntry
from neotoma.operations.registry import Operation
from neotoma.substrate.errors import Refusal


def record(op: Operation, context: Context, principal: Principal) -> None:
    """The row of a write that was done, in its transaction."""
    _entry(
        principal,
        operation=op.name,
        risk=op.risk,
        surface=context.surface,
        outcome="done",
        subject=context.subject,
        details=context.notes,
        request_id=context.request_id,
    ).save(force_insert=True)


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


def _entry(principal: Principal, **columns: Any) -> AuditEntry:
    actor = principal.actor
    return AuditEntry(actor_key=actor.key, actor_kind=actor.kind, actor_name=actor.name, role=principal.role, **columns)

"""The one way to run an operation: validate, authenticate, authorise, one transaction, audit, replay."""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import OperationalError, connection
from django.utils import timezone
from pydantic import BaseModel, ValidationError

from neotoma.access import authenticate, policy
from neotoma.access.principals import Principal
from neotoma.operations import memory
from neotoma.operations.audit import record, record_refusal
from neotoma.operations.context import Context, Surface
from neotoma.operations.door import count_refusal
from neotoma.operations.registry import Operation, find
from neotoma.substrate import catalogue
from neotoma.substrate.errors import InvalidInput, Refusal, WriteRace
from neotoma.substrate.store import open_write

ATTEMPTS = 5
"""How often a write that lost a race runs again before it is refused."""


class Busy(Refusal):
    """The database could not take the write in time; nothing was written. `details.retry_after` is in seconds."""

    error_code = "BUSY"
    status = 503
    hint = "Repeat the call with the same idempotency_key."


class UnknownOperation(Refusal):
    error_code = "UNKNOWN_OPERATION"
    status = 404


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, from where."""

    principal: Principal
    surface: Surface
    request_id: str = ""
    address: str = ""


def call(name: str, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    """Run an operation by name and answer its result as plain JSON; raises `Refusal` for every expected error."""
    op = find(name)
    if op is None:
        raise UnknownOperation(f"There is no operation {name}.")
    return run(op, arguments, caller)


def run(op: Operation, arguments: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
    """As `call`, for an operation at hand. Refused writes and refused credentials leave an audit row."""
    principal = caller.principal
    try:
        principal = _principal(op, arguments, caller)
        policy.check(principal, any_of=op.scopes, risk=op.risk)
        params = validated(op, arguments)
        return _write(op, params, principal, caller) if op.effect == "write" else _read(op, params, principal, caller)
    except Busy:
        raise  # nobody was refused, and an audit row would wait for the same lock
    except Refusal as refusal:
        if op.effect == "write" or refusal.status in (401, 403):
            if principal.role == "anonymous" or isinstance(refusal, authenticate.Unauthenticated):
                count_refusal(caller.address)
            record_refusal(op, principal, caller.surface, caller.request_id, refusal)
        raise


def _principal(op: Operation, arguments: Mapping[str, Any], caller: Caller) -> Principal:
    """A guest token among the arguments wins over the header and never falls back to it."""
    token = arguments.get("guest_access_token")
    if token is None or not op.takes_guest_token:
        return caller.principal
    if not isinstance(token, str):
        raise authenticate.GuestTokenInvalid("guest_access_token is not a text.")
    return authenticate.from_guest_token(token)


def validated(op: Operation, arguments: Mapping[str, Any]) -> BaseModel:
    """The parameters in their shape; refuses by name what does not fit."""
    try:
        return op.params.model_validate(dict(arguments))
    except ValidationError as error:
        fields = [{"path": ".".join(map(str, e["loc"])) or "arguments", "problem": e["msg"]} for e in error.errors()]
        raise InvalidInput(
            "; ".join(f"{field['path']}: {field['problem']}" for field in fields[:5]),
            hint=f"The parameters of {op.name} are: {', '.join(op.params.model_fields)}.",
            details={"fields": fields[:50]},
        ) from None


def _read(op: Operation, params: BaseModel, principal: Principal, caller: Caller) -> dict[str, Any]:
    context = Context(principal, caller.surface, timezone.now(), caller.request_id, address=caller.address)
    with catalogue.looked_up_once():
        return dump(op.handler(context, params))


def _write(op: Operation, params: BaseModel, principal: Principal, caller: Caller) -> dict[str, Any]:
    """One transaction; run again when another transaction made the same row, or used the same key, first."""
    # A rehearsal is no use of the key: the call that it prepares may have the same.
    key = getattr(params, "idempotency_key", None) if getattr(params, "commit", True) else None
    request = memory.Request(principal, op.name, key, params) if key else None
    for attempt in range(ATTEMPTS):
        try:
            return _write_once(op, params, principal, caller, request)
        except WriteRace:
            time.sleep(random.uniform(0, 0.01) * (attempt + 1))  # noqa: S311  spreads the losers, guards nothing
        except Refusal:
            # The same call may have been done in the meantime, and that may be what stood in the way.
            if request is None or memory.recall(request, timezone.now()) is None:
                raise
        except OperationalError as error:
            if not _passes(error):
                raise
            if connection.vendor == "sqlite" or attempt == ATTEMPTS - 1:
                break
    raise Busy("The database is busy.", details={"retry_after": 1})


def _write_once(
    op: Operation, params: BaseModel, principal: Principal, caller: Caller, request: memory.Request | None
) -> dict[str, Any]:
    context = Context(principal, caller.surface, timezone.now(), caller.request_id, address=caller.address)
    # Before the transaction: whoever uses the key at the same time is met at its unique row, when it is kept.
    saved = memory.recall(request, context.now) if request else None
    with open_write(principal.actor, context.now) as write:
        context._write = write
        if saved is not None:
            return {**(op.replay(context, saved) if op.replay else saved), "replayed": True}
        answer = dump(op.handler(context, params))
        if request:
            kept = without(answer, op.secrets)
            expires_at = context.now + timedelta(hours=settings.NEOTOMA_IDEMPOTENCY_HOURS)
            memory.keep(request, kept, context.now, expires_at)
        if not write.rehearsed:
            record(op, context, principal)
    return answer


def without(answer: Mapping[str, Any], secrets: Collection[str]) -> dict[str, Any]:
    """The answer without its secrets; `a.b` names the `b` within `a`."""
    inner = {name: [path.partition(".")[2] for path in secrets if path.startswith(f"{name}.")] for name in answer}
    return {
        name: without(value, inner[name]) if inner[name] and isinstance(value, Mapping) else value
        for name, value in answer.items()
        if name not in secrets
    }


def dump(result: BaseModel) -> dict[str, Any]:
    """A result as plain JSON."""
    return result.model_dump(mode="json", exclude_none=True)


def _passes(error: OperationalError) -> bool:
    """Whether it is worth repeating: a lock that was held, a deadlock, a serialisation failure."""
    code = getattr(error.__cause__, "sqlstate", None)
    return code in ("40001", "40P01", "55P03") or "locked" in str(error) or "busy" in str(error)

"""One operation as a part of another: the same caller, the same transaction, a check and an audit row of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from neotoma.access import policy
from neotoma.operations import invoke
from neotoma.operations.audit import record
from neotoma.operations.context import Context
from neotoma.operations.registry import find


def perform(
    context: Context, name: str, arguments: Mapping[str, Any], *, lends: Collection[str] = ()
) -> dict[str, Any]:
    """Run the named operation inside the running one and answer its result as plain JSON.

    `lends`: scopes that suffice beside the inner operation's own, because the outer one has admitted them for this.
    Whatever the inner one refuses undoes both. It takes no key: the outer call's covers it.
    """
    op = find(name)
    if op is None:
        raise invoke.UnknownOperation(f"There is no operation {name}.")
    policy.check(context.principal, any_of=op.scopes | set(lends), risk=op.risk)
    params = invoke.validated(op, arguments)
    if op.effect == "read":
        return invoke.dump(op.handler(context, params))
    inner = Context(context.principal, context.surface, context.now, context.request_id, context.write)
    answer = invoke.dump(op.handler(inner, params))
    record(op, inner, context.principal)
    return answer


def replayed(context: Context, name: str, saved: dict[str, Any]) -> dict[str, Any]:
    """The saved answer of an operation that ran as a part of another, with its secrets again."""
    op = find(name)
    return op.replay(context, saved) if op is not None and op.replay is not None else saved

"""tools/list and tools/call: one operation each, its answer or its refusal as a tool's result."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from neotoma.access.policy import AuthenticationRequired
from neotoma.operations.invoke import run
from neotoma.operations.json import check
from neotoma.operations.mcp.arguments import unwrapped
from neotoma.operations.mcp.exchange import Exchange
from neotoma.operations.mcp.protocol import INVALID_PARAMS, ProtocolError
from neotoma.operations.mcp.results import LIST_LIFE_MS, Result, encoded, refusal_body, tool_answer
from neotoma.operations.mcp.tools import arguments_of
from neotoma.operations.registry import Operation
from neotoma.substrate.errors import Refusal

MAX_CHARACTERS: Final = 20_000
_NARROWING: Final = ("limit", "response_format", "after", "cursor", "search", "filters", "budget", "max_hops")


class ResultTooLarge(Refusal):
    """A read would fill the caller's context; `details` says how large it was and what may be."""

    error_code: ClassVar[str] = "RESULT_TOO_LARGE"
    status = 422


def list_tools(exchange: Exchange) -> Result:
    """Every tool on one page: there is no cursor to hand back."""
    exchange.refuse_cursor()
    listed = exchange.tools.list_members(exchange.caller.principal, exchange.selection)
    return Result(listed, ttl_ms=LIST_LIFE_MS)


def call_tool(exchange: Exchange) -> Result:
    """What a model can repair comes back as its result; raises `AuthenticationRequired` where only a header can."""
    name = exchange.request.params["name"]
    op = exchange.tools.find(name, exchange.selection)
    if op is None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:80]}", {"hint": _elsewhere(exchange)})
    try:
        return tool_answer(_call(op, exchange))
    except Refusal as refusal:
        if isinstance(refusal, AuthenticationRequired) and _needs_header(op, exchange):
            raise
        return refused(refusal, exchange)


def refused(refusal: Refusal, exchange: Exchange) -> Result:
    return tool_answer(encoded(refusal_body(refusal, exchange.caller.request_id)), is_error=True)


def _call(op: Operation, exchange: Exchange) -> bytes:
    given = exchange.request.params.get("arguments") or {}
    arguments: dict[str, Any] = unwrapped(check(given), arguments_of(op.params))
    structured = encoded(run(op, arguments, exchange.caller))
    # A write has happened: to refuse its answer would say that it had not.
    if op.effect == "read" and len(structured) > MAX_CHARACTERS and len(structured.decode()) > MAX_CHARACTERS:
        raise _too_large(op, len(structured.decode()))
    return structured


def _too_large(op: Operation, characters: int) -> ResultTooLarge:
    ways = [name for name in _NARROWING if name in op.params.model_fields]
    hint = f"Ask for less with {', '.join(ways)}." if ways else "Ask for fewer things at once."
    return ResultTooLarge(
        f"The result has {characters} characters; at most {MAX_CHARACTERS} are sent.",
        hint=hint,
        details={"characters": characters, "limit": MAX_CHARACTERS, "narrow_with": ways},
    )


def _needs_header(op: Operation, exchange: Exchange) -> bool:
    """Over HTTP the client sets the token; where a guest token would do, the model can send one as an argument."""
    return exchange.caller.surface == "mcp" and not op.takes_guest_token


def _elsewhere(exchange: Exchange) -> str:
    if exchange.selection.read_only:
        return "This URL serves reads only; writes are at /mcp."
    return "find_operations names every operation and the URL of its toolset."

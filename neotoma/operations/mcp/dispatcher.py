"""From a message to a reply, for every transport."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import structlog
from django.conf import settings

from neotoma.access.authenticate import Unauthenticated
from neotoma.access.limits import TooMany
from neotoma.access.policy import AuthenticationRequired
from neotoma.operations import registry
from neotoma.operations.challenge import challenge
from neotoma.operations.invoke import Caller
from neotoma.operations.json import check
from neotoma.operations.mcp import calls, prompts, protocol, resources
from neotoma.operations.mcp.exchange import Exchange, Handler, Visit
from neotoma.operations.mcp.instructions import INSTRUCTIONS
from neotoma.operations.mcp.protocol import INTERNAL_ERROR, PARSE_ERROR, UNAUTHENTICATED, ProtocolError, Request
from neotoma.operations.mcp.results import (
    ACCEPTED,
    LIST_LIFE_MS,
    SERVER_INFO,
    Reply,
    Result,
    answer,
    encoded,
    failure,
    members,
    refusal_body,
)
from neotoma.operations.mcp.tools import Operations, Tools
from neotoma.substrate.errors import Refusal

log = structlog.get_logger(__name__)

CAPABILITIES: Final[Mapping[str, Any]] = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}


class Dispatcher:
    """Answers MCP messages with a set of operations. Holds nothing of a client: every message stands alone."""

    def __init__(self, operations: Operations = registry.operations) -> None:
        self.tools = Tools(operations)

    def handle(self, message: object, *, headers: Mapping[str, str] | None, visit: Visit) -> Reply:
        """One parsed message, which need not have been checked; `headers` is None where there are none.

        Never raises: what nobody expected is logged and answered as an internal error with the request id.
        """
        request_id = protocol.request_id_of(message)
        try:
            principal = visit.authenticate()
            request = _read(message, headers)
            if request is None:
                return ACCEPTED
            caller = Caller(principal, visit.surface, visit.request_id, visit.address)
            return _served(Exchange(request, caller, visit.selection, self.tools))
        except ProtocolError as error:
            return failure(error, request_id)
        except (Unauthenticated, AuthenticationRequired, TooMany) as refusal:
            return _unauthenticated(refusal, request_id, visit)
        except Exception:
            log.exception("mcp_message_failed")
            modern = protocol.is_modern(message, headers)
            return internal_error(request_id, visit.request_id, status=500 if modern else 200)


def internal_error(message_id: int | str | None, request_id: str, *, status: int = 500) -> Reply:
    """Never the text of an exception: it may hold what is not the caller's."""
    error = ProtocolError(INTERNAL_ERROR, "Internal error", {"request_id": request_id})
    return failure(error, message_id, status=status)


def unreadable(refusal: Refusal, message_id: int | str | None, request_id: str) -> Reply:
    """A body that the strict decoder refused."""
    error = ProtocolError(PARSE_ERROR, refusal.message, refusal_body(refusal, request_id))
    return failure(error, message_id, status=refusal.status)


def _read(message: object, headers: Mapping[str, str] | None) -> Request | None:
    if not isinstance(message, dict):
        _checked(message)
    return protocol.read(message, headers)


def _served(exchange: Exchange) -> Reply:
    request = exchange.request
    try:
        handler = HANDLERS.get(request.method)
        if handler is None:
            raise protocol.unknown_method(request.method)
        if request.method != "tools/call":  # whose arguments a model can repair
            _checked(request.params)
        protocol.validate(request)
        return answer(request, handler(exchange))
    except ProtocolError as error:
        return failure(error, request.id, status=None if request.modern else 200)


def _checked(value: object) -> None:
    try:
        check(value)
    except Refusal as refusal:
        raise ProtocolError(protocol.INVALID_REQUEST, refusal.message, refusal.body()) from None


def _unauthenticated(refusal: Refusal, message_id: int | str | None, visit: Visit) -> Reply:
    body = refusal_body(refusal, visit.request_id)
    if visit.surface != "mcp":
        return failure(ProtocolError(UNAUTHENTICATED, refusal.message, body), message_id)
    if isinstance(refusal, TooMany):
        return Reply(refusal.status, encoded(body), {"Retry-After": str(refusal.details["retry_after"])})
    return Reply(401, encoded(body), {"WWW-Authenticate": challenge(refusal, settings.NEOTOMA_BASE_URL, "/mcp")})


def _initialize(exchange: Exchange) -> Result:
    return Result(
        members(
            {
                "protocolVersion": protocol.negotiated(exchange.request.params.get("protocolVersion")),
                "capabilities": CAPABILITIES,
                "serverInfo": SERVER_INFO,
                "instructions": INSTRUCTIONS,
            }
        )
    )


def _ping(exchange: Exchange) -> Result:
    return Result(b"")


_DISCOVERY: Final = members(
    {
        "supportedVersions": list(protocol.SUPPORTED),
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
    }
)


def _discover(exchange: Exchange) -> Result:
    return Result(_DISCOVERY, ttl_ms=LIST_LIFE_MS, cache="public")


HANDLERS: Final[Mapping[str, Handler]] = {
    "initialize": _initialize,
    "ping": _ping,
    "server/discover": _discover,
    "tools/list": calls.list_tools,
    "tools/call": calls.call_tool,
    "resources/list": resources.list_resources,
    "resources/templates/list": resources.list_templates,
    "resources/read": resources.read_resource,
    "prompts/list": prompts.list_prompts,
    "prompts/get": prompts.get_prompt,
    "completion/complete": prompts.complete,
}

"""Results and errors as bytes. Members of an object are made once and put together, never encoded twice. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from neotoma import __version__
from neotoma.operations.mcp.protocol import ProtocolError, Request
from neotoma.substrate.errors import Refusal

SERVER_INFO: Mapping[str, str] = {"name": "neotoma", "title": "Neotoma", "version": __version__}

LIST_LIFE_MS = 300_000
"""Milliseconds that a client may keep a list of tools, prompts or resources."""


@dataclass(frozen=True, slots=True)
class Result:
    """The members of a result without its braces; `ttl_ms` and `cache` where the modern era wants them."""

    members: bytes
    ttl_ms: int | None = None
    cache: Literal["public", "private"] = "private"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a transport sends: nothing (an empty body) or one message. `status` and `headers` are HTTP's."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


ACCEPTED = Reply(202)


_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def encoded(value: object) -> bytes:
    """Compact JSON in UTF-8."""
    return _COMPACT.encode(value).encode()


def members(value: Mapping[str, Any]) -> bytes:
    return encoded(value)[1:-1]


_MODERN = members({"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": SERVER_INFO}})


def answer(request: Request, result: Result) -> Reply:
    """The response to a request, in the shape of its era."""
    parts = [result.members] if result.members else []
    if request.modern:
        parts.append(_MODERN)
        if result.ttl_ms is not None:
            parts.append(_caching(result.ttl_ms, result.cache))
    head = b'{"jsonrpc":"2.0","id":' + encoded(request.id)
    return Reply(200, head + b',"result":{' + b",".join(parts) + b"}}")


@lru_cache
def _caching(ttl_ms: int, cache: str) -> bytes:
    return members({"ttlMs": ttl_ms, "cacheScope": cache})


def failure(error: ProtocolError, request_id: int | str | None, *, status: int | None = None) -> Reply:
    """A JSON-RPC error; `status` where the era or the transport decides otherwise."""
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    message = {"jsonrpc": "2.0", "id": request_id, "error": body}
    return Reply(error.status if status is None else status, encoded(message))


def tool_answer(structured: bytes, *, is_error: bool = False) -> Result:
    """A tool's result: the text is the structured content, letter for letter."""
    text = encoded(structured.decode())
    flag = b"true" if is_error else b"false"
    return Result(
        b'"content":[{"type":"text","text":' + text + b'}],"structuredContent":' + structured + b',"isError":' + flag
    )


def refusal_body(refusal: Refusal, request_id: str) -> dict[str, Any]:
    return {**refusal.body(), "request_id": request_id}

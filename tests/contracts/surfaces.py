"""Call an operation as the world does, over REST and over MCP, and say in one word what came of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.test import Client

from neotoma.operations.registry import Operation

Surface = Callable[[Operation, Mapping[str, Any], str | None], str]


def rest_answer(op: Operation, arguments: Mapping[str, Any], token: str | None) -> Any:
    """The response to one operation over REST; texts that no URL can carry are replaced."""
    path, left = _bound(op.route.path, dict(arguments))
    in_query = op.route.method in ("GET", "DELETE")
    query = {name: value if isinstance(value, str) else json.dumps(value) for name, value in left.items()}
    return _client().generic(
        op.route.method,
        f"/api/{path}?{urlencode(query, errors='replace')}" if in_query else f"/api/{path}",
        b"" if in_query else json.dumps(left).encode(),
        "application/json",
        headers=_authorization(token),
    )


def over_rest(op: Operation, arguments: Mapping[str, Any], token: str | None) -> str:
    answer = rest_answer(op, arguments, token)
    return "ok" if answer.status_code < 300 else f"{answer.status_code} {answer.json()['error_code']}"


def over_mcp(op: Operation, arguments: Mapping[str, Any], token: str | None) -> str:
    """Refusals of the tool carry no status over MCP, so the word is made from the code's own."""
    params = {"name": op.name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer: Any = _client().post("/mcp", message, content_type="application/json", headers=_authorization(token))
    body = answer.json()
    if answer.status_code != 200:
        return f"{answer.status_code} {body['error_code']}"
    if "error" in body:
        return f"protocol error {body['error']}"
    content = body["result"]["structuredContent"]
    if not body["result"]["isError"]:
        return "ok"
    return f"{_STATUS.get(content['error_code'], 'isError')} {content['error_code']}"


SURFACES: Final[Mapping[str, Surface]] = {"rest": over_rest, "mcp": over_mcp}

_STATUS: Final = {
    "AUTH_REQUIRED": 401,
    "GUEST_TOKEN_INVALID": 401,
    "GUEST_TOKEN_EXPIRED": 401,
    "GUEST_TOKEN_REVOKED": 401,
    "INSUFFICIENT_SCOPE": 403,
    "STAFF_ONLY": 403,
    "NOT_FOUND": 404,
}


@cache
def _client() -> Client:
    """One for all calls: it keeps the middlewares, and no caller has a cookie."""
    return Client(raise_request_exception=False)


def _authorization(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _bound(path: str, left: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    def value(match: re.Match[str]) -> str:
        name = "issue_number" if match[1] == "issue" else match[1]
        return quote(str(left.pop(name)), safe="", errors="replace")

    return re.sub(r"{(\w+)}", value, path), left

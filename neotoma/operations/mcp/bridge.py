"""From stdio to a remote instance: each message is posted as it is, with the headers that its revision wants."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final

import requests

from neotoma.logs import new_request_id
from neotoma.operations.json import parse
from neotoma.operations.mcp.dispatcher import unreadable
from neotoma.operations.mcp.headers import METHOD_HEADER, NAME_HEADER, NAMED, VERSION_HEADER
from neotoma.operations.mcp.protocol import (
    INTERNAL_ERROR,
    UNAUTHENTICATED,
    ProtocolError,
    request_id_of,
    stated_version,
)
from neotoma.operations.mcp.results import failure
from neotoma.substrate.errors import Refusal

TIMEOUT_S: Final = 60


class Bridge:
    """One conversation with the instance at `url`, which is the instance's address or that of one of its MCP URLs."""

    def __init__(self, url: str, token: str | None) -> None:
        base = url.rstrip("/")
        self._url = base if "/mcp" in base else f"{base}/mcp"
        self._http = requests.Session()
        self._http.headers["Accept"] = "application/json, text/event-stream"
        if token:
            self._http.headers["Authorization"] = f"Bearer {token}"

    def answer(self, line: bytes) -> bytes:
        """The answer of the instance as one line; empty where it has none."""
        try:
            message = parse(line)
        except Refusal as refusal:
            return unreadable(refusal, None, new_request_id()).body
        try:
            response = self._http.post(self._url, data=line, headers=_headers(message), timeout=TIMEOUT_S)
        except requests.RequestException:
            return failure(ProtocolError(INTERNAL_ERROR, "The instance does not answer."), request_id_of(message)).body
        return response.content if _is_message(response) else _translated(response, message)


def _headers(message: object) -> dict[str, str]:
    headers = {"Content-Type": "application/json"}
    version = stated_version(message)
    if version is None or not isinstance(message, dict):
        return headers
    method = str(message.get("method"))
    headers |= {VERSION_HEADER: version, METHOD_HEADER: method}
    named = message["params"].get(NAMED.get(method, ""))
    return {**headers, NAME_HEADER: _header_safe(named)} if isinstance(named, str) else headers


def _header_safe(value: str) -> str:
    plain = value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?base64?")
    return value if plain else f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def _is_message(response: requests.Response) -> bool:
    return response.status_code == 202 or b'"jsonrpc"' in response.content[:40]


def _translated(response: requests.Response, message: object) -> bytes:
    """A refusal of the door, which is not JSON-RPC, as an error of the protocol."""
    try:
        body: Mapping[str, Any] = response.json()
    except requests.JSONDecodeError:
        body = {}
    code = UNAUTHENTICATED if response.status_code == 401 else INTERNAL_ERROR
    text = str(body.get("message", f"The instance answered with status {response.status_code}."))
    return failure(ProtocolError(code, text, body or None), request_id_of(message)).body

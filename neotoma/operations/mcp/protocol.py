"""The wire: which revision a message speaks, whether it is well-formed, and the errors of the protocol. Pure.

Two eras share one URL. Modern (2026-07-28): each request stands alone and carries its version and the client's
capabilities in `params._meta`. Legacy (until 2025-11-25): `initialize` first; no session is kept here either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp_types import methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION
from pydantic import ValidationError

from neotoma.operations.mcp.headers import VERSION_HEADER, header, mismatch

MODERN: Final = LATEST_MODERN_VERSION
LEGACY: Final = tuple(reversed(HANDSHAKE_PROTOCOL_VERSIONS))
SUPPORTED: Final = (MODERN, *LEGACY)

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
UNAUTHENTICATED: Final = 401
"""Of our own, for transports without a status: outside the range that JSON-RPC reserves."""

_STATUS: Final = {METHOD_NOT_FOUND: 404, INTERNAL_ERROR: 500, UNAUTHENTICATED: 401}


class ProtocolError(Exception):
    """The client, not the model, has to change something. `data` goes out as it is."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @property
    def status(self) -> int:
        """HTTP status in the modern era; the legacy one answers a request with 200 whatever happened."""
        return _STATUS.get(self.code, 400)


@dataclass(frozen=True, slots=True)
class Request:
    """One request that is well-formed for its revision."""

    id: int | str
    method: str
    params: Mapping[str, Any]
    version: str

    @property
    def modern(self) -> bool:
        return self.version == MODERN


def request_id_of(message: object) -> int | str | None:
    """The id to answer to, or None where there is no usable one."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, (int, str)) and not isinstance(found, bool) else None


def stated_version(message: object) -> str | None:
    """The version in the `_meta` of a message, which only the modern era has."""
    stated = _meta(message).get(VERSION_KEY)
    return stated if isinstance(stated, str) else None


def is_modern(message: object, headers: Mapping[str, str] | None) -> bool:
    """Modern by the version in its `_meta`, or by a header that is not one of the handshake's versions."""
    if VERSION_KEY in _meta(message):
        return True
    stated = header(headers, VERSION_HEADER)
    return stated is not None and stated not in LEGACY


def read(message: object, headers: Mapping[str, str] | None) -> Request | None:
    """The request in a message; None for a notification or a client's response, which get no answer.

    `headers` is None where the transport has none. Raises `ProtocolError`.
    """
    body = _envelope(message)
    if "id" not in body:
        return None
    modern = is_modern(body, headers)
    if "method" not in body and not modern:
        return None
    if not isinstance(body.get("method"), str) or request_id_of(body) is None:
        raise ProtocolError(INVALID_REQUEST, "A request has a string `method` and a string or integer `id`.")
    params = body.get("params", {})
    if not isinstance(params, dict):
        raise ProtocolError(INVALID_PARAMS, "`params` is not an object.")
    version = _modern_version(body, params, headers) if modern else header(headers, VERSION_HEADER) or LEGACY[0]
    return Request(body["id"], body["method"], params, version)


def validate(request: Request) -> None:
    """Refuse an unknown method and parameters that break the revision's schema."""
    params = request.params if request.modern or request.params else None
    try:
        methods.validate_client_request(request.method, request.version, params)
    except KeyError:
        raise unknown_method(request.method) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ProtocolError(INVALID_PARAMS, f"Invalid params: {place}: {first['msg']}") from None


def unknown_method(method: str) -> ProtocolError:
    return ProtocolError(METHOD_NOT_FOUND, f"Method not found: {method[:80]}")


def negotiated(asked: object) -> str:
    """The version that `initialize` answers: the one asked for if it is known, else the newest with a handshake."""
    return asked if isinstance(asked, str) and asked in LEGACY else LATEST_HANDSHAKE_VERSION


def _envelope(message: object) -> Mapping[str, Any]:
    if not isinstance(message, dict):
        raise ProtocolError(INVALID_REQUEST, "The body is one JSON-RPC message, an object; batches are not served.")
    if message.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, '`jsonrpc` is not "2.0".')
    return message


def _meta(message: object) -> Mapping[str, Any]:
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def _modern_version(body: Mapping[str, Any], params: Mapping[str, Any], headers: Mapping[str, str] | None) -> str:
    """What must be there, then that headers and body agree, then the version itself: the order of the specification."""
    meta = _meta(body)
    stated = meta.get(VERSION_KEY, header(headers, VERSION_HEADER))
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing and (VERSION_KEY in meta or stated == MODERN):
        raise ProtocolError(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.")
    if headers is not None and not missing and (problem := mismatch(body, params, stated, headers)):
        raise ProtocolError(HEADER_MISMATCH, problem)
    if stated != MODERN:
        data = {"supported": list(SUPPORTED), "requested": str(stated)[:80]}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    return MODERN

"""The request headers of revision 2026-07-28, which must repeat what the body says. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final

VERSION_HEADER: Final = "mcp-protocol-version"
METHOD_HEADER: Final = "mcp-method"
NAME_HEADER: Final = "mcp-name"
NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""By method: the parameter that `Mcp-Name` repeats."""

_ENCODED = re.compile(r"=\?base64\?(.*)\?=", re.DOTALL)


def header(headers: Mapping[str, str] | None, name: str) -> str | None:
    """A header without the blanks that servers may leave around it."""
    value = headers.get(name) if headers is not None else None
    return value.strip(" \t") if value is not None else None


def mismatch(body: Mapping[str, Any], params: Mapping[str, Any], version: object, headers: Mapping[str, str]) -> str:
    """What is missing or contradicts the body, or an empty string."""
    if header(headers, VERSION_HEADER) != version:
        return "The MCP-Protocol-Version header does not repeat the version in params._meta."
    if header(headers, METHOD_HEADER) != body.get("method"):
        return "The Mcp-Method header does not repeat the method."
    named = NAMED.get(str(body.get("method")))
    if named is None or params.get(named) is None:
        return ""
    if decoded(header(headers, NAME_HEADER)) != params[named]:
        return f"The Mcp-Name header does not repeat params.{named}."
    return ""


def decoded(value: str | None) -> str | None:
    """A header value, taken out of `=?base64?...?=` where it is wrapped; None where that is broken."""
    wrapped = _ENCODED.fullmatch(value) if value is not None else None
    if wrapped is None:
        return value
    try:
        return base64.b64decode(wrapped[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None

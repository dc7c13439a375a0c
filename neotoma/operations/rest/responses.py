"""JSON answers: compact, tagged when they are reads."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.http import HttpResponse
from django.utils.http import parse_etags

from neotoma.access.limits import Allowance

JSON = "application/json"


def encode(value: Any) -> bytes:
    """Compact UTF-8; NaN and infinities are refused by the encoder."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def plain(value: Any, status: int = 200) -> HttpResponse:
    """An answer that nobody may keep: it belongs to one caller and one moment."""
    return HttpResponse(encode(value), status=status, content_type=JSON, headers={"Cache-Control": "no-store"})


def tagged(body: bytes, if_none_match: str | None, content_type: str = JSON) -> HttpResponse:
    """A read with its ETag; 304 without a body when the caller holds the same bytes already."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    if if_none_match and _holds(etag, if_none_match):
        return HttpResponse(status=304, headers=headers)
    return HttpResponse(body, content_type=content_type, headers=headers)


def counted(response: HttpResponse, allowance: Allowance | None) -> HttpResponse:
    """The same response, with what is left of the limit that it counted against."""
    if allowance is not None:
        response["RateLimit-Limit"] = str(allowance.limit)
        response["RateLimit-Remaining"] = str(allowance.remaining)
        response["RateLimit-Reset"] = str(allowance.reset_s)
    return response


def _holds(etag: str, if_none_match: str) -> bool:
    """Weak comparison, as the RFC asks of If-None-Match."""
    held = parse_etags(if_none_match)
    return "*" in held or etag in (tag.removeprefix("W/") for tag in held)

"""Keyset pages: a cursor names the last row seen, so no row is skipped or repeated while others are written."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from django.db.models import Model, QuerySet

from neotoma.substrate.errors import InvalidInput

TOTAL_CAP = 1_000


def encode_cursor(*position: str | int) -> str:
    """Opaque text of a position."""
    return base64.urlsafe_b64encode(json.dumps(position, ensure_ascii=False).encode()).rstrip(b"=").decode()


def decode_cursor(cursor: str, *kinds: type) -> tuple[Any, ...]:
    """The position of a cursor of ours; refuses any other text."""
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        position = json.loads(raw)
    except (binascii.Error, ValueError, RecursionError):
        position = None
    matches = isinstance(position, list) and len(position) == len(kinds)
    if not matches or not all(_fits(value, kind) for value, kind in zip(position, kinds, strict=True)):
        raise InvalidInput.at("cursor", "not a cursor of this list", hint="Hand back next_cursor unchanged.")
    return tuple(position)


def _fits(value: Any, kind: type) -> bool:
    """Of the kind; a number that columns hold, a text without NUL or half a surrogate pair, which no database takes."""
    if type(value) is not kind:
        return False
    if isinstance(value, int):
        return abs(value) < 2**63
    return isinstance(value, str) and not any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in value)


def capped_total(rows: QuerySet[Model, Any]) -> tuple[int, bool]:
    """How many rows there are, exact to 1,000, and whether there are more."""
    count = rows.order_by().values("pk")[: TOTAL_CAP + 1].count()
    return min(count, TOTAL_CAP), count > TOTAL_CAP

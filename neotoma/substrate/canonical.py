"""Canonical JSON: one byte form for equal content, so that digests compare meaning."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """Sorted keys, no spaces, text as UTF-8; equal values give equal strings."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=str)


def digest(value: Any) -> str:
    """SHA-256 of the canonical form, 64 hex digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; true is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def normalise_text(value: str) -> str:
    """The identity form of a name: trimmed, single spaces, case folded. Punctuation stays: it tells names apart."""
    return " ".join(value.split()).casefold()


def search_text(fields: dict[str, Any], *, limit: int = 64_000) -> str:
    """All texts of a snapshot, joined for full-text search; `limit` characters at most."""
    parts: list[str] = []
    _collect(fields, parts)
    return "\n".join(parts)[:limit]


def _collect(value: Any, parts: list[str]) -> None:
    if isinstance(value, str):
        parts.append(value)
    elif isinstance(value, dict):
        for item in value.values():
            _collect(item, parts)
    elif isinstance(value, list):
        for item in value:
            _collect(item, parts)

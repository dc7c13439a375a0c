"""Deterministic entity ids."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from neotoma.substrate.canonical import canonical_json, normalise_text

ENTITY_ID = re.compile(r"ent_[0-9a-f]{24}\Z")
NAMING_FIELDS: Sequence[str] = ("canonical_name", "name", "full_name", "title", "email", "url")


def entity_id(owner_scope: str, entity_type: str, canonical_key: str) -> str:
    """`ent_` + 24 hex of SHA-256 over length-prefixed parts, so `a|b`+`c` never equals `a`+`b|c`."""
    parts = (owner_scope, entity_type, canonical_key)
    framed = "".join(f"{len(part.encode())}:{part}" for part in parts)
    return "ent_" + hashlib.sha256(framed.encode()).hexdigest()[:24]


def canonical_key(fields: Mapping[str, Any], identity: Sequence[Sequence[str]]) -> str:
    """The key under the first identity rule whose fields are all present, else a fresh random one.

    `identity` is a list of composites in order of precedence, e.g. `(("email",), ("name", "company"))`.
    """
    for rule in identity:
        values = [fields.get(name) for name in rule]
        if all(value not in (None, "") for value in values):
            return canonical_json([[name, _form(value)] for name, value in zip(rule, values, strict=True)])
    return fresh_key()


def fresh_key() -> str:
    """A key that names nothing yet and that nothing stored by its fields will ever lead to."""
    return f"new:{uuid.uuid4().hex}"


def default_identity() -> tuple[tuple[str, ...], ...]:
    """Types nobody declared are recognised by their first naming field."""
    return tuple((name,) for name in NAMING_FIELDS)


def display_name(fields: Mapping[str, Any]) -> str:
    """A short human name of a snapshot, 200 characters at most; empty when no naming field is set."""
    for name in NAMING_FIELDS:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())[:200]
    return ""


def _form(value: Any) -> Any:
    return normalise_text(value) if isinstance(value, str) else value

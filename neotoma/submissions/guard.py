"""Redaction of what a submission brings, before anything is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from neotoma.access.authenticate import server_key
from neotoma.access.tokens import keyed
from neotoma.operations.shapes import Shape
from neotoma.redaction import redact_fields
from neotoma.substrate.canonical import canonical_json
from neotoma.substrate.errors import Refusal


class RedactionReport(Shape):
    """What the guard replaced: kinds and places, never the values."""

    applied: bool = Field(description="True when something was replaced.")
    counts: dict[str, int] = Field(description="How many of each kind.")
    fields: list[str] = Field(description="Where.")


class RedactionImpossible(Refusal):
    """The guard could not read the text, so it is not stored."""

    error_code: ClassVar[str] = "ERR_REDACTION_REQUIRED"
    status = 422
    hint = "Leave out what looks like a secret, and send plain text."


@dataclass(frozen=True, slots=True)
class Guarded:
    """The redacted fields, their report, and a keyed digest of the raw ones."""

    fields: dict[str, Any]
    report: RedactionReport
    raw_digest: str


def guard(fields: Mapping[str, Any]) -> Guarded:
    """Redact every text in `fields`; fails closed."""
    try:
        done = redact_fields(fields)
    except (ValueError, RecursionError, RuntimeError) as error:
        raise RedactionImpossible("The text could not be checked for secrets.") from error
    report = RedactionReport(applied=bool(done.counts), counts=dict(done.counts), fields=list(done.names))
    raw = canonical_json(dict(fields)).encode()
    return Guarded(dict(done.fields), report, hashlib.sha256(keyed(server_key(), "raw-digest", raw)).hexdigest())

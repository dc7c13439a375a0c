"""Why something is done, for the audit."""

from __future__ import annotations

from pydantic import Field

from neotoma.redaction import RedactionFailed, redact_text
from neotoma.substrate.errors import InvalidInput

Reason = Field(None, max_length=500, description="Why, for the audit.")


def redacted(reason: str | None) -> str:
    """The audit keeps it, so it is redacted like every text."""
    try:
        return redact_text(reason or "")
    except RedactionFailed as error:
        raise InvalidInput.at("reason", error.message, hint=error.hint) from error

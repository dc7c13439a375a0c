"""The redaction guard: pure functions over text, no Django, no I/O. See `guard` for the contract."""

from neotoma.redaction.fields import RedactedFields, redact_fields
from neotoma.redaction.guard import Redaction, RedactionFailed, leaks, redact, redact_text

__all__ = ["RedactedFields", "Redaction", "RedactionFailed", "leaks", "redact", "redact_fields", "redact_text"]

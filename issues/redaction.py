"""The guard under the name by which issues know it."""

from neotoma.redaction import redact_text

__all__ = ["redact_text"]

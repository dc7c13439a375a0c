"""Keep raw material."""

from __future__ import annotations

import base64
from typing import ClassVar

from pydantic import Field

from neotoma.access.authenticate import server_key
from neotoma.access.tokens import keyed
from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import WriteParams
from neotoma.operations.sources.shapes import SourceView, view
from neotoma.redaction import RedactionFailed, redact
from neotoma.substrate.errors import InvalidInput, Refusal
from neotoma.substrate.sources import Encoding, Kept, Material, keep_once

MOST_BYTES = 512_000


class SourceTooLarge(Refusal):
    """More bytes than a source may have; `details.limit_bytes` says how many."""

    error_code: ClassVar[str] = "SOURCE_TOO_LARGE"
    status = 413
    hint = "Keep the part that matters, or several parts."


class NotRedactable(Refusal):
    """What a reporter hands in is checked for secrets, and this cannot be."""

    error_code: ClassVar[str] = "ERR_REDACTION_REQUIRED"
    status = 422
    hint = "Send plain text without secrets."


class KeepSourceParams(WriteParams):
    content: str = Field(
        min_length=1, description="The material: text, or base64 of bytes.", examples=["diff --git ..."]
    )
    encoding: Encoding = Field("text", description="base64 for anything that is not text.")
    mime_type: str = Field(
        "text/plain",
        max_length=100,
        pattern=r"^[a-z]+/[a-z0-9][a-z0-9.+_-]{0,80}$",
        description="What it is.",
        examples=["text/x-diff"],
    )


class KeptSource(SourceView):
    action: Kept = Field(description="kept; unchanged: it was there; restored: it had been taken back.")
    redacted: dict[str, int] = Field(default_factory=dict, description="What was replaced, by kind; never the values.")
    replayed: bool = Field(False, description="True for a repeat.")


@operation(
    "keep_source",
    title="Keep raw material",
    effect="write",
    risk="low",
    undo="delete_source",
    additive=True,
    scopes=("write", "report"),
    route=Route("POST", "sources"),
    toolset="substrate",
    status=201,
)
def keep_source(context: Context, params: KeepSourceParams) -> KeptSource:
    """Keep the raw material behind what you learned: a document, a log, a patch. The same content is kept once.

    Name its id as source_id when you store facts from it. At most 512 KB. What a reporter hands in is text, and is
    redacted. Undo: delete_source.
    """
    material = Material(params.content, params.encoding, params.mime_type)
    raw = _raw(material)
    material, counts = (material, {}) if context.principal.has("write") else _redacted(material, raw)
    digest = keyed(server_key(), "raw-digest", raw).hex()
    source, action = keep_once(material, targets.scope(context), digest, context.write.actor, context.now)
    context.about("", source=source.public_id, action=action)
    return KeptSource(**view(source), action=action, redacted=counts)  # type: ignore[arg-type]


def _raw(material: Material) -> bytes:
    """The bytes; refuses what is no base64, or too much."""
    try:
        raw = base64.b64decode(material.content, validate=True) if material.encoding == "base64" else material.raw
    except ValueError:
        raise InvalidInput.at("content", "is not base64", hint="Send text with encoding: text.") from None
    if len(raw) > MOST_BYTES:
        raise SourceTooLarge(
            f"content: more than {MOST_BYTES} bytes.",
            details={"limit_bytes": MOST_BYTES, "fields": [{"path": "content", "problem": "too large"}]},
        )
    return raw


def _redacted(material: Material, raw: bytes) -> tuple[Material, dict[str, int]]:
    """The same as text without secrets; refuses what cannot be read as text."""
    try:
        done = redact(raw.decode())
    except UnicodeDecodeError as error:
        raise NotRedactable("content: is not text.", details={"path": "content"}) from error
    except RedactionFailed as error:
        raise NotRedactable(f"content: {error.message}.", details={"path": "content"}) from error
    return Material(done.text, "text", material.mime_type), done.counts

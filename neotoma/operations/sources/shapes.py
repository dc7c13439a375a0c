"""What the operations on sources have in common."""

from __future__ import annotations

import re
from typing import Annotated

from django.db.models import QuerySet
from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.shapes import Shape
from neotoma.substrate.errors import NotFound
from neotoma.substrate.models import Source
from neotoma.substrate.sources import Encoding

SOURCE_ID = re.compile(r"src_[1-9][0-9]{0,17}", re.ASCII)
SourceId = Annotated[
    str, Field(pattern=rf"^{SOURCE_ID.pattern}$", description="From keep_source or an observation.", examples=["src_1"])
]


class SourceView(Shape):
    source_id: str = Field(description="Id of the source; name it when you store what you learned from it.")
    content_hash: str = Field(description="SHA-256 of the bytes that are kept.")
    mime_type: str = Field(description="What they are.")
    encoding: Encoding = Field(description="How `content` holds them.")
    size_bytes: int = Field(description="How many there are.")


def readable(context: Context, source_id: str) -> Source:
    """The source, taken back or not; `NotFound` when unknown or not visible."""
    found = _of(context, source_id).select_related("withdrawal").defer("content").first()
    if found is None:
        raise NotFound(f"There is no source {source_id} that you can see.", details={"source_id": source_id})
    return found


def citable(context: Context, source_id: str, path: str) -> Source:
    """A source that facts may name; `NotFound` when it was taken back, too."""
    is_id = SOURCE_ID.fullmatch(source_id)
    found = _of(context, source_id).filter(withdrawal=None).defer("content").first() if is_id else None
    if found is None:
        raise NotFound(f"{path}: there is no source {source_id[:40]} that you can see.", details={"path": path})
    return found


def _of(context: Context, source_id: str) -> QuerySet[Source]:
    return Source.objects.visible_to(context.audience).filter(pk=int(source_id.removeprefix("src_")))


def view(source: Source) -> dict[str, object]:
    return {
        "source_id": source.public_id,
        "content_hash": source.content_hash,
        "mime_type": source.mime_type,
        "encoding": source.encoding,
        "size_bytes": source.size,
    }

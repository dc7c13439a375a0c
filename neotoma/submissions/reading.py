"""A thread as people read it: pages of bounded size, the newest page first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from neotoma.submissions.models import Message

PAGE_MESSAGES = 30
PAGE_CHARACTERS = 60_000
"""Characters of text that one page renders; what does not fit is shown by its beginning."""
EXCERPT = 500


@dataclass(frozen=True, slots=True)
class Said:
    """A message. `cut`: only its beginning, since the page is full. `ours`: from the maintainer's side."""

    id: str
    position: int
    author_kind: str
    author_name: str
    at: datetime
    body: str
    cut: bool
    asks: bool
    missing: list[dict[str, Any]]
    verification: str
    build: list[tuple[str, str]]

    @property
    def side(self) -> str:
        if self.author_kind in ("mirror", "system"):
            return "note"
        return "theirs-side" if self.author_kind == "reporter" else "ours"


@dataclass(frozen=True, slots=True)
class ThreadPage:
    """`number` counts from 1, the oldest page."""

    said: list[Said]
    number: int
    pages: int
    total: int

    @property
    def older(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def newer(self) -> int | None:
        return self.number + 1 if self.number < self.pages else None


def page_of(thread_id: str, total: int, wanted: str | None = None) -> ThreadPage:
    """One page of a thread with `total` messages; the newest unless another is wanted."""
    pages = max(1, -(-total // PAGE_MESSAGES))
    number = min(pages, max(1, int(wanted))) if wanted and wanted.isdecimal() and len(wanted) < 7 else pages
    first = (number - 1) * PAGE_MESSAGES + 1
    rows = Message.objects.of(thread_id).filter(position__gte=first, position__lt=first + PAGE_MESSAGES)
    return ThreadPage(_within(list(rows.order_by("position")), PAGE_CHARACTERS), number, pages, total)


def _within(rows: list[Message], room: int) -> list[Said]:
    said = []
    for row in rows:
        cut = len(row.body) > room
        body = row.body[:EXCERPT] if cut else row.body
        room -= len(body)
        said.append(_said(row, body, cut))
    return said


def _said(row: Message, body: str, cut: bool) -> Said:
    return Said(
        id=row.pk,
        position=row.position,
        author_kind=row.author_kind,
        author_name=row.author_name,
        at=row.created_at,
        body=body,
        cut=cut,
        asks=row.asks,
        missing=row.missing or [],
        verification=row.verification,
        build=[(name.removeprefix("reporter_").replace("_", " "), str(value)) for name, value in row.reporter.items()],
    )

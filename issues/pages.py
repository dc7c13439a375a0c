"""Cutting a thread into pages that fit any caller: nothing lost, nothing repeated (pure)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

PAGE_CHARACTERS = 14_000
"""Characters of message text on one page as JSON writes them; an answer then stays under 20,000 in all."""
PAGE_MESSAGES = 40


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reader is: all messages up to `position`, and `offset` characters of the one after it."""

    position: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """Text of one message on a page: which message, from where, and whether the rest comes on the next page."""

    index: int
    offset: int
    text: str
    continues: bool


def cut(bodies: Sequence[str], offset: int) -> list[Part]:
    """The parts of the next page, from `offset` in the first body; at least one when there is a body."""
    parts: list[Part] = []
    room = PAGE_CHARACTERS
    for index, body in enumerate(bodies[:PAGE_MESSAGES]):
        start = min(offset, len(body)) if index == 0 else 0
        rest = body[start:]
        if parts and weight(rest) > room:
            break
        text = fitting(rest, room)
        parts.append(Part(index, start, text, continues=len(text) < len(rest)))
        room -= weight(text)
        if parts[-1].continues:
            break
    return parts


def fitting(text: str, room: int) -> str:
    """The longest beginning found quickly that JSON writes in `room` characters; one character at least."""
    piece = text[:room]
    while len(piece) > 1 and (size := weight(piece)) > room:
        piece = piece[: max(1, min(len(piece) - 1, len(piece) * room // size))]
    return piece


def weight(text: str) -> int:
    """Characters of a text in JSON."""
    return len(json.dumps(text, ensure_ascii=False)) - 2

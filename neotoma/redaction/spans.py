"""Spans of text to hide: who wins where two meet, and how the markers are written."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from neotoma.redaction.kinds import KINDS


class Span(NamedTuple):
    """Characters `start` (inclusive) to `end` (exclusive) hold something of the given kind. What has to stand `around`
    its marker: quotes, where a bare number of a JSON document was."""

    start: int
    end: int
    kind: str
    around: str = ""


HIDDEN = "\ufffc"
_KIND = "(?:" + "|".join(sorted(KINDS)) + ")"
MARKER = re.compile(rf"\[redacted:{_KIND}\]|%5Bredacted%3A{_KIND}%5D")
# Brackets before a path would make a URL unreadable, so there the marker is percent-encoded.
_TO_HOST = re.compile(r"[^\s/?#\"'<>\\]{0,256}")


def marker(kind: str) -> str:
    return f"[redacted:{kind}]"


def settle(ranked: Iterable[list[Span]], size: int) -> list[Span]:
    """Disjoint spans in text order. Lists come in order of rank: what overlaps a better ranked span is dropped,
    and the next pass over the redacted text sees what is left of it."""
    taken = bytearray(size)
    kept: list[Span] = []
    for spans in ranked:
        for span in _joined(spans):
            if taken.find(1, span.start, span.end) == -1:
                taken[span.start : span.end] = b"\x01" * (span.end - span.start)
                kept.append(span)
    kept.sort()
    return kept


def _joined(spans: list[Span]) -> Iterator[Span]:
    """Overlapping spans of one rule (it may see the text in several views) become one."""
    last: Span | None = None
    for span in sorted(spans):
        if last is None or span.start >= last.end:
            if last is not None:
                yield last
            last = span
        elif span.end > last.end:
            last = last._replace(end=span.end)
    if last is not None:
        yield last


def write(text: str, spans: list[Span]) -> tuple[str, Counter[str]]:
    """The text with each (clean, disjoint, ordered) span replaced, and how often each kind was."""
    parts: list[str] = []
    counts: Counter[str] = Counter()
    done = 0
    for span in spans:
        parts += (text[done : span.start], _mark(text, span))
        done = span.end
        counts[span.kind] += 1
    parts.append(text[done:])
    return "".join(parts), counts


def _mark(text: str, span: Span) -> str:
    if _before_path(text, span.start):
        return marker(span.kind).replace("[", "%5B").replace(":", "%3A").replace("]", "%5D")
    return span.around + marker(span.kind) + span.around


def _before_path(text: str, at: int) -> bool:
    """Between the slashes of a URL and its path: in the user's name, the password or the host."""
    host = text.rfind("/", max(0, at - 256), at) + 1
    slashes = text[max(0, host - 16) : host].replace("\\", "")
    return host > 0 and slashes.endswith("://") and _TO_HOST.fullmatch(text, host, at) is not None

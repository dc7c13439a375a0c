"""Spans of text to hide: who wins where two meet, and how the markers are written so that JSON stays JSON."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from neotoma.redaction.kinds import KINDS
from neotoma.redaction.quotes import depth, quote


class Span(NamedTuple):
    """Characters `start` (inclusive) to `end` (exclusive) hold something of the given kind."""

    start: int
    end: int
    kind: str


MARKER = re.compile(r"\[redacted:(?:" + "|".join(sorted(KINDS)) + r")\]")
_JSON_NUMBER = re.compile(r"[0-9]{1,32}")
_NEXT = re.compile(r"[ \t\r\n]{0,64}(?:[,\]}]|$)")
_ESCAPE = re.compile(r"u[0-9A-Fa-f]{4}|[nrtbf\"/]")
_QUOTE = re.compile(r"\\{0,31}\"")


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


def trim(text: str, spans: list[Span]) -> list[Span]:
    """Spans without the markers of an earlier pass, and never starting inside a JSON escape such as `\\n`."""
    markers = [found.span() for found in MARKER.finditer(text)] if "[redacted:" in text else []
    clean: list[Span] = []
    upcoming = 0
    for span in spans:
        while upcoming < len(markers) and markers[upcoming][1] <= span.start:
            upcoming += 1
        for piece in _without(span, markers, upcoming):
            shifted = _past_escape(text, piece)
            if any(c.isalnum() for c in text[shifted.start : shifted.end]):
                clean.append(shifted)
    return clean


def _without(span: Span, markers: list[tuple[int, int]], first: int) -> Iterator[Span]:
    start = span.start
    for low, high in markers[first : first + 64]:
        if low >= span.end:
            break
        if low > start:
            yield span._replace(start=start, end=low)
        start = max(start, high)
    if start < span.end:
        yield span._replace(start=start)


def _past_escape(text: str, span: Span) -> Span:
    """A home segment may follow a lone backslash of a path; anything else after one starts behind the escape."""
    start = span.start
    if start == 0 or text[start - 1] != "\\" or span.kind == "home_user":
        return span
    escape = _ESCAPE.match(text, start, span.end)
    return span._replace(start=escape.end()) if escape else span


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
    """The marker; in quotes where a bare JSON number stood, for a bare marker would break the document."""
    around = ""
    if text[span.start].isdecimal() and _JSON_NUMBER.fullmatch(text, span.start, span.end):
        around = _number_quote(text, span)
    return f"{around}{marker(span.kind)}{around}"


def _number_quote(text: str, span: Span) -> str:
    before = text[max(0, span.start - 200) : span.start].rstrip()
    if not _NEXT.match(text, span.end) or before[-1:] not in (":", "[", ","):
        return ""
    named = before[-1] == ":" and before[:-1].rstrip().endswith('"')
    if not named and (before[-1] == ":" or text.lstrip()[:1] not in ("{", "[", '"')):
        return ""
    quotes = _QUOTE.findall(before)
    return quote(depth(len(quotes[-1]) - 1 if quotes else 0))

"""Spans of text to hide: who wins where two meet, and how the markers are written so that JSON stays JSON."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from neotoma.redaction.kinds import KINDS
from neotoma.redaction.quotes import Strings, is_json, quote


class Span(NamedTuple):
    """Characters `start` (inclusive) to `end` (exclusive) hold something of the given kind."""

    start: int
    end: int
    kind: str


HIDDEN = "\ufffc"
_KIND = "(?:" + "|".join(sorted(KINDS)) + ")"
MARKER = re.compile(rf"\[redacted:{_KIND}\]|%5Bredacted%3A{_KIND}%5D")
# Brackets before a path would make a URL unreadable, so there the marker is percent-encoded.
_AUTHORITY = re.compile(r":(?:\\{0,7}/){2}[^\s/?#\"'<>\\]{0,256}\Z")
_DIGITS = re.compile(r"[0-9]{1,32}")
_NEXT = re.compile(r"[ \t\r\n]{0,64}(?:[,\]}]|$)")
_ESCAPE = re.compile(r"u[0-9A-Fa-f]{4}|[nrtbf\"/]")


def marker(kind: str) -> str:
    return f"[redacted:{kind}]"


def hide_markers(text: str) -> str:
    """The text with a sign that no rule looks for in place of each character of a marker."""
    return MARKER.sub(lambda found: HIDDEN * len(found[0]), text) if "redacted" in text else text


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
    """Spans without the markers of an earlier pass, and with neither end inside a JSON escape such as `\\n`."""
    markers = [found.span() for found in MARKER.finditer(text)] if "redacted" in text else []
    clean: list[Span] = []
    upcoming = 0
    for span in spans:
        while upcoming < len(markers) and markers[upcoming][1] <= span.start:
            upcoming += 1
        for piece in _without(span, markers, upcoming):
            shifted = _off_escapes(text, piece)
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


def _off_escapes(text: str, span: Span) -> Span:
    """A home segment may follow a lone backslash of a path; anything else after one starts behind the escape."""
    start, length = span.start, len(text[span.start : span.end].rstrip("\\"))
    span = span._replace(end=start + length)
    if start == 0 or text[start - 1] != "\\" or span.kind == "home_user":
        return span
    escape = _ESCAPE.match(text, start, span.end)
    return span._replace(start=escape.end()) if escape else span


def write(text: str, spans: list[Span]) -> tuple[str, Counter[str]]:
    """The text with each (clean, disjoint, ordered) span replaced, and how often each kind was."""
    parts: list[str] = []
    counts: Counter[str] = Counter()
    strings = Strings(text)
    done = 0
    for span in spans:
        parts += (text[done : span.start], _mark(text, span, strings))
        done = span.end
        counts[span.kind] += 1
    parts.append(text[done:])
    return "".join(parts), counts


def _mark(text: str, span: Span, strings: Strings) -> str:
    """The marker; in quotes where a bare JSON number stood, for a bare one would break the document."""
    if _AUTHORITY.search(text[max(0, span.start - 280) : span.start]):
        return marker(span.kind).replace("[", "%5B").replace(":", "%3A").replace("]", "%5D")
    around = ""
    if text[span.start].isdecimal() and _is_number(text, span):
        deep, inside = strings.around(span.start)
        around = "" if inside and is_json(text) else quote(deep)
    return f"{around}{marker(span.kind)}{around}"


def _is_number(text: str, span: Span) -> bool:
    """Digits where JSON has a value: behind a name in quotes, or (in what may be a document) in a list."""
    if not _DIGITS.fullmatch(text, span.start, span.end) or not _NEXT.match(text, span.end):
        return False
    before = text[max(0, span.start - 80) : span.start].rstrip()
    if before.endswith(":"):
        return before[:-1].rstrip().endswith('"')
    return before.endswith(("[", ",")) and is_json(text)

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
_TO_HOST = re.compile(r"[^\s/?#\"'<>\\]{0,256}")
_DIGITS = re.compile(r"[0-9]{1,32}")
_NEXT = re.compile(r"[ \t\r\n]{0,64}(?:[,\]}]|$)")
_ESCAPE = re.compile(r"u[0-9A-Fa-f]{4}|[nrtbf\"/]")


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
    """Spans without the markers of an earlier pass, and with neither end inside a JSON escape such as `\\n`."""
    markers = [found.span() for found in MARKER.finditer(text)] if "redacted" in text else []
    clean: list[Span] = []
    upcoming = 0
    for span in spans:
        while upcoming < len(markers) and markers[upcoming][1] <= span.start:
            upcoming += 1
        for piece in _without(span, markers, upcoming) if markers else (span,):
            whole = _off_escapes(text, piece)
            if any(c.isalnum() for c in text[whole.start : whole.end]):
                clean.append(whole)
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
    start, end, kind = span
    if text[end - 1] == "\\":
        end = start + len(text[start:end].rstrip("\\"))
        span = Span(start, end, kind)
    if start == 0 or text[start - 1] != "\\" or kind == "home_user":
        return span
    escape = _ESCAPE.match(text, start, end)
    return Span(escape.end(), end, kind) if escape else span


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
    if _before_path(text, span.start):
        return marker(span.kind).replace("[", "%5B").replace(":", "%3A").replace("]", "%5D")
    around = ""
    if text[span.start].isdecimal() and _is_number(text, span):
        deep, inside = strings.around(span.start)
        around = "" if inside and is_json(text) else quote(deep)
    return f"{around}{marker(span.kind)}{around}"


def _before_path(text: str, at: int) -> bool:
    """Between the slashes of a URL and its path: in the user's name, the password or the host."""
    host = text.rfind("/", max(0, at - 256), at) + 1
    slashes = text[max(0, host - 16) : host].replace("\\", "")
    return host > 0 and slashes.endswith("://") and _TO_HOST.fullmatch(text, host, at) is not None


def _is_number(text: str, span: Span) -> bool:
    """Digits where JSON has a value: behind a name in quotes, or (in what may be a document) in a list."""
    if not _DIGITS.fullmatch(text, span.start, span.end) or not _NEXT.match(text, span.end):
        return False
    before = text[max(0, span.start - 80) : span.start].rstrip()
    if before.endswith(":"):
        return before[:-1].rstrip().endswith('"')
    return before.endswith(("[", ",")) and is_json(text)

"""The text as a reader's eye or a decoder sees it: folded look-alikes, invisible characters gone, escapes decoded.

Rules look at every view; what they find is mapped back to the characters that were really sent.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache

from neotoma.redaction.spans import HIDDEN, MARKER, Span

# Letters that show as nothing although they are no format characters.
_BLANK = frozenset(map(ord, "\u115f\u1160\u3164\uffa0\u2800"))
_ALIKE = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u00ab\u00bb"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a"), "'"),
    **dict.fromkeys(map(ord, "\u3002\uff61"), "."),
    **dict.fromkeys((0x2028, 0x2029), "\n"),
}
_NUMBERS = re.compile(r"[0-9][0-9 ()\[\].\-/+]{5,2000}[0-9]")
_CONTROLS = {"/": "/", "n": "\n", "r": "\r", "t": "\t"}
_ENTITIES = {"amp": "&", "quot": '"', "apos": "'", "lt": "<", "gt": ">", "commat": "@", "period": ".", "colon": ":"}
_ESCAPED = re.compile(
    r"%(?P<percent>[2-7][0-9A-Fa-f])"
    r"|\\{1,4}u(?P<unicode>[0-9A-Fa-f]{4})"
    r"|&#(?P<decimal>[0-9]{2,6});|&#[xX](?P<hex>[0-9A-Fa-f]{2,5});|&(?P<entity>[a-z]{2,6});"
    r"|\\{1,7}(?P<control>[nrt/])"
    r"|(?P<ansi>\x1b\[[0-9;?]{0,16}[A-Za-z])"
)


class _Fold(dict[int, str]):
    """Code point to its folded text, computed once a character."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(char: str) -> str:
    if ord(char) in _ALIKE:
        return _ALIKE[ord(char)]
    if ord(char) in _BLANK or unicodedata.category(char) in ("Cf", "Mn", "Me"):
        return ""
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    plain = unicodedata.normalize("NFKC", char)
    return "".join(_ALIKE.get(ord(c), c) for c in plain)


_FOLD = _Fold({code: chr(code) for code in range(128)})


Place = Callable[[int], tuple[int, int]]


@dataclass(frozen=True)
class View:
    """One reading of a text. `place` tells where a character's source starts and ends in the text it was read from."""

    text: str
    source: "View | None" = None
    place: Place = field(default=lambda at: (at, at + 1))

    @cached_property
    def lower(self) -> str:
        """Lower case, letter for letter, so that places in it are places in the text."""
        lower = self.text.lower()
        return (
            lower
            if len(lower) == len(self.text)
            else "".join(c if len(c.lower()) > 1 else c.lower() for c in self.text)
        )

    @cached_property
    def numbers(self) -> list[tuple[int, int]]:
        """Where digits and the signs between them run on for seven characters or more, with two on either side."""
        return [(max(0, run.start() - 2), run.end() + 2) for run in _NUMBERS.finditer(self.text)]

    def at_source(self, span: Span) -> Span:
        """The same span in the text that was sent."""
        if self.source is None:
            return span
        start, end = self.place(span.start)[0], self.place(span.end - 1)[1]
        return self.source.at_source(span._replace(start=start, end=end))


def views(text: str) -> Iterator[View]:
    """The text itself, then (only where they differ) its folded and its decoded reading.

    Markers of an earlier pass are one sign in all of them, which no rule looks for.
    """
    sent = View(text)
    if "redacted" in text:
        sent = _reading(sent, MARKER, lambda marker: HIDDEN)
    yield sent
    if not sent.text.isascii() and sent.text.translate(_FOLD) != sent.text:
        yield _folded(sent)
    if any(sign in sent.text for sign in ("%", "\\", "&", "\x1b[")) and _ESCAPED.search(sent.text):
        decoded = _reading(sent, _ESCAPED, _meaning)
        yield decoded if decoded.text.isascii() else _folded(decoded)


def _folded(source: View) -> View:
    @cache
    def origins() -> list[int]:
        return [index for index, char in enumerate(source.text) for _ in _FOLD[ord(char)]]

    return View(source.text.translate(_FOLD), source, lambda at: (origins()[at], origins()[at] + 1))


def _reading(source: View, pattern: re.Pattern[str], meaning: Callable[[str], str]) -> View:
    """The source with what it means in place of each match."""

    @cache
    def pieces() -> tuple[list[int], list[int], list[int]]:
        return _pieces(source.text, pattern, meaning)

    def place(at: int) -> tuple[int, int]:
        here, there, past = pieces()
        piece = bisect_right(here, at) - 1
        if past[piece]:
            return there[piece], past[piece]
        start = there[piece] + at - here[piece]
        return start, start + 1

    return View(pattern.sub(lambda found: meaning(found[0]), source.text), source, place)


def _pieces(
    text: str, pattern: re.Pattern[str], meaning: Callable[[str], str]
) -> tuple[list[int], list[int], list[int]]:
    """Piece i begins at here[i] in the reading, there[i] in the text. A match ends at past[i]; plain text has 0."""
    here, there, past = [0], [0], [0]
    done = place = 0
    for found in pattern.finditer(text):
        start, end = found.span()
        place += start - done
        here += (place, place + len(meaning(found[0])))
        there += (start, end)
        past += (end, 0)
        place, done = here[-1], end
    return here, there, past


@lru_cache(maxsize=4096)
def _meaning(escape: str) -> str:
    """What the escape stands for; itself, where that is nothing."""
    found = _ESCAPED.fullmatch(escape)
    which = str(found.lastgroup) if found else ""
    if found is None or which == "ansi":
        return ""
    value = found[which]
    if which == "control":
        return _CONTROLS[value]
    if which == "entity":
        return _ENTITIES.get(value, escape)
    code = int(value, 10 if which == "decimal" else 16)
    return chr(code) if code < 0x110000 else escape

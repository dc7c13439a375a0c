"""The text as a reader's eye or a decoder sees it: folded look-alikes, invisible characters gone, escapes decoded.

Rules look at every view; what they find is mapped back to the characters that were really sent.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from neotoma.redaction.escapes import COLOUR, ESCAPED, escaped, meaning
from neotoma.redaction.hints import VOCABULARY
from neotoma.redaction.pieces import Meaning, Pieces
from neotoma.redaction.spans import HIDDEN, MARKER, Span

# Letters that show as nothing although they are no format characters.
_BLANK = frozenset(map(ord, "\u115f\u1160\u3164\uffa0\u2800"))
_ALIKE = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u00ab\u00bb"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a"), "'"),
    **dict.fromkeys(map(ord, "\u3002\uff61"), "."),
    **dict.fromkeys((0x2028, 0x2029), "\n"),
    **dict.fromkeys(map(ord, "\u2192\u21d2\u2794\u279c\u27a1\u27f6"), " -> "),
}
# A percent sign may itself be written with one, an entity within a JSON string, and so on.
_LAYERS = 3
_NUMBERS = re.compile(r"[0-9][0-9 ()\[\].\-/+]{5,2000}[0-9]")
# The shortest token of any vendor is longer.
LONG = 14


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


class Run(NamedTuple):
    """Characters `start` to `end` of a view, and the text that makes them worth a look."""

    start: int
    end: int
    text: str


class View:
    """One reading of a text. `place` tells where a character's source starts and ends in the text it was read from."""

    def __init__(self, text: str, source: "View | None" = None, place: Place | None = None) -> None:
        self.text, self._source, self._place = text, source, place
        # Letter for letter, so that places in it are places in the text.
        lower = text.lower()
        self.lower = lower if len(lower) == len(text) else "".join(map(_lower, text))
        # Where digits and the signs between them run on for seven characters or more, with two on either side.
        self.numbers = [Run(max(0, run.start() - 2), run.end() + 2, run[0]) for run in _NUMBERS.finditer(text)]
        # Each word that may announce something, and where.
        self.words = list(VOCABULARY.find(self.lower))
        # What stands between spaces and is long enough for a token.
        self.long_words = list(_long_words(text))

    def at_source(self, span: Span) -> Span:
        """The same span in the text that was sent."""
        if self._source is None or self._place is None:
            return span
        start, end = self._place(span.start)[0], self._place(span.end - 1)[1]
        return self._source.at_source(span._replace(start=start, end=end))


def _lower(char: str) -> str:
    lower = char.lower()
    return lower if len(lower) == 1 else char


def _long_words(text: str) -> Iterator[Run]:
    at = 0
    for word in text.split():
        if len(word) >= LONG:
            start = text.index(word, at)
            at = start + len(word)
            yield Run(start, at, word)


def views(text: str) -> Iterator[View]:
    """The text itself, then (only where they differ) its folded and its decoded readings.

    Markers of an earlier pass are one sign in all of them, which no rule looks for.
    """
    view = View(text)
    if "redacted" in text:
        view = _reading(view, MARKER, lambda marker: HIDDEN)
    yield from _looks(view, sent=True)
    for _ in range(_LAYERS):
        if not escaped(view.text):
            break
        decoded = _reading(view, ESCAPED, meaning)
        if decoded.text == view.text:
            break
        view = decoded
        yield from _looks(view, sent=False)


def _looks(view: View, *, sent: bool) -> Iterator[View]:
    """The view as it is written and as it looks, colours set apart: they may stand between two words, or within one,
    which the decoded reading shows."""
    if "\x1b[" in view.text:
        view = _reading(view, COLOUR, lambda colour: " ")
    folded = list(_folded(view))
    # What is invisible may be all that stands between two words.
    if sent or not folded or len(folded[0].text) < len(view.text):
        yield view
    yield from folded


def _folded(view: View) -> Iterator[View]:
    """How the view looks, where it does not look as it is written."""
    folded = view.text if view.text.isascii() else view.text.translate(_FOLD)
    if folded == view.text:
        return

    @cache
    def origins() -> list[int]:
        return [index for index, char in enumerate(view.text) for _ in _FOLD[ord(char)]]

    yield View(folded, view, lambda at: (origins()[at], origins()[at] + 1))


def _reading(source: View, pattern: re.Pattern[str], meaning: Meaning) -> View:
    """The source with what it means in place of each match."""

    @cache
    def pieces() -> Pieces:
        return Pieces(source.text, pattern, meaning)

    text = pattern.sub(lambda found: meaning(found[0]), source.text)
    return View(text, source, lambda at: pieces().place(at))

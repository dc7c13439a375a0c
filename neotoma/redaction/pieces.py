"""A text taken to pieces: its escapes, each of which stands for something, and what lies between them as it is."""

import re
from bisect import bisect_right
from collections.abc import Callable

Meaning = Callable[[str], str]


class Pieces:
    """Maps places of a text to places of its reading, in which each match of the pattern is what it means."""

    def __init__(self, text: str, pattern: re.Pattern[str], meaning: Meaning) -> None:
        self._text, self._meaning = text, meaning
        # Piece i begins at here[i] in the reading and at there[i] in the text. An escape ends at past[i]; a piece of
        # plain text has 0 there and goes on to the next.
        self._here, self._there, self._past = [0], [0], [0]
        done = place = 0
        for found in pattern.finditer(text):
            start, end = found.span()
            place += start - done
            self._here += (place, place + len(meaning(found[0])))
            self._there += (start, end)
            self._past += (end, 0)
            place, done = self._here[-1], end

    def reading(self) -> str:
        ends = [*self._there[1:], len(self._text)]
        return "".join(
            self._meaning(self._text[start:past]) if past else self._text[start:end]
            for start, past, end in zip(self._there, self._past, ends, strict=True)
        )

    def place(self, at: int) -> tuple[int, int]:
        """Where the source of the reading's character starts and ends in the text."""
        piece = bisect_right(self._here, at) - 1
        if self._past[piece]:
            return self._there[piece], self._past[piece]
        start = self._there[piece] + at - self._here[piece]
        return start, start + 1

    def at(self, place: int) -> int:
        """The reading's character that begins at this place of the text; no place inside an escape."""
        piece = bisect_right(self._there, place) - 1
        return self._here[piece] + (0 if self._past[piece] else place - self._there[piece])

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """The same span, its end not inside an escape: a letter or digit goes with it whole, other signs stay.

        Empty where it starts inside one: what took part of an escape for text is wrong, and a decoded reading is not.
        """
        if self._around(start) is not None:
            return end, end
        last = self._around(end)
        return start, end if last is None else last[self._counts(last)]

    def _around(self, place: int) -> tuple[int, int] | None:
        """The escape that the place lies inside of."""
        piece = bisect_right(self._there, place) - 1
        inside = self._there[piece] < place < self._past[piece]
        return (self._there[piece], self._past[piece]) if inside else None

    def _counts(self, escape: tuple[int, int]) -> bool:
        return any(char.isalnum() for char in self._meaning(self._text[slice(*escape)]))

"""What a text is made of: plain text, documents within it, their strings and numbers, the text within those strings.

Each fits a span: cuts it to what may be replaced, grows it to whole escapes and numbers. Places are those of its text.
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from neotoma.redaction.documents import Lexeme, documents, lexemes
from neotoma.redaction.escapes import IN_JSON, WHOLE, escaped, json_meaning, meaning
from neotoma.redaction.pieces import Pieces
from neotoma.redaction.quotes import quote
from neotoma.redaction.spans import Span

# Quotes of a document so deep are long; what lies deeper is text.
_DEEPEST = 6


class Text:
    """Any text, so many JSON strings `deep`."""

    def __init__(self, text: str, deep: int = 0) -> None:
        self._text, self._deep = text, deep
        places = documents(text) if deep <= _DEEPEST else ()
        self._documents = [(start, end, _Document(text[start:end], deep)) for start, end in places]
        self._ends = [end for _, end, _ in self._documents]

    @property
    def is_plain(self) -> bool:
        """Whether a span may begin and end anywhere."""
        return not self._documents and self._pieces is None

    @cached_property
    def _pieces(self) -> Pieces | None:
        return Pieces(self._text, WHOLE, meaning) if "\\" in self._text or escaped(self._text) else None

    def fit(self, span: Span) -> Iterator[Span]:
        for index in range(bisect_right(self._ends, span.start), len(self._documents)):
            start, end, document = self._documents[index]
            if start >= span.end:
                break
            if self._is_part_of(span, start, end):
                continue
            yield from self._plain(span._replace(end=start))
            yield from moved(document.fit(within(span, start, end)), start)
            span = span._replace(start=end)
        yield from self._plain(span)

    def _is_part_of(self, span: Span, start: int, end: int) -> bool:
        """Whether the whole document may go; nothing would remain of one that is all the text."""
        return span.start <= start and end <= span.end and (self._deep > 0 or end - start < len(self._text))

    def _plain(self, span: Span) -> Iterator[Span]:
        if span.start < span.end and self._pieces is not None:
            start, end = self._pieces.whole(span.start, span.end)
            # A lone backslash before a name is the path's own.
            in_path = span.kind == "home_user" and self._text.endswith("\\", 0, span.start)
            span = span._replace(start=span.start if in_path else start, end=end)
        if span.start < span.end:
            yield span


class _Document:
    """A text that is JSON."""

    def __init__(self, text: str, deep: int) -> None:
        self._text, self._deep = text, deep
        self._strings: dict[int, _String] = {}

    @cached_property
    def _lexemes(self) -> list[Lexeme]:
        return list(lexemes(self._text))

    @cached_property
    def _ends(self) -> list[int]:
        return [lexeme.end for lexeme in self._lexemes]

    def fit(self, span: Span) -> Iterator[Span]:
        for index in range(bisect_right(self._ends, span.start), len(self._lexemes)):
            start, end, is_number = self._lexemes[index]
            if start >= span.end:
                break
            if is_number:
                yield Span(start, end, span.kind, quote(self._deep))
            else:
                yield from moved(self._string(index).fit(within(span, start, end)), start)

    def _string(self, index: int) -> "_String":
        if index not in self._strings:
            start, end, _ = self._lexemes[index]
            self._strings[index] = _String(self._text[start:end], self._deep)
        return self._strings[index]


class _String:
    """What stands between two quotes of JSON."""

    def __init__(self, text: str, deep: int) -> None:
        self._pieces = Pieces(text, IN_JSON, json_meaning)
        self._content = Text(self._pieces.reading(), deep + 1)

    def fit(self, span: Span) -> Iterator[Span]:
        start, end = self._pieces.whole(span.start, span.end)
        if start < end:
            for part in self._content.fit(span._replace(start=self._pieces.at(start), end=self._pieces.at(end))):
                first, last = self._pieces.place(part.start), self._pieces.place(part.end - 1)
                yield part._replace(start=first[0], end=last[1])


def within(span: Span, start: int, end: int) -> Span:
    """The part of the span between two places, counted from the first."""
    return span._replace(start=max(span.start - start, 0), end=min(span.end, end) - start)


def moved(spans: Iterator[Span], by: int) -> Iterator[Span]:
    return (span._replace(start=span.start + by, end=span.end + by) for span in spans)

"""Where a span may begin and end: not inside an escape or a marker, and not across the structure of a JSON document."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from neotoma.redaction.layout import Text
from neotoma.redaction.spans import MARKER, Span

_SAYS = re.compile(r"[^\W_]")


class Edges:
    """The edges of one text."""

    def __init__(self, text: str) -> None:
        self._text, self._layout = text, Text(text)
        self._markers = [found.span() for found in MARKER.finditer(text)] if "redacted" in text else []
        self._marked = [end for _, end in self._markers]

    def fit(self, spans: Iterable[Span]) -> list[Span]:
        """The spans, cut to what may be replaced and grown to whole escapes and numbers."""
        pieces = (piece for span in spans for piece in self._between_markers(span)) if self._markers else spans
        parts = pieces if self._layout.is_plain else (part for piece in pieces for part in self._layout.fit(piece))
        return [part for part in parts if _SAYS.search(self._text, part.start, part.end)]

    def _between_markers(self, span: Span) -> Iterator[Span]:
        start = span.start
        for index in range(bisect_right(self._marked, start), len(self._markers)):
            low, high = self._markers[index]
            if low >= span.end:
                break
            if low > start:
                yield span._replace(start=start, end=low)
            start = high
        if start < span.end:
            yield span._replace(start=start)

"""Which words a text holds: pure, and the one place that knows, so that every database finds the same.

Case, accents and widths do not count (`Café` is `cafe`). Punctuation separates, but for `_`, which joins a name:
`due_date` is found as itself, as `due` and as `date`. Scripts that are written without spaces are found by any one or
two neighbouring characters. An emoji or another sign is a word of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise

TEXT_LIMIT = 64_000
"""Characters of a text that are looked at."""
WORD_LIMIT = 80
"""Characters of a word that count."""
QUERY_LIMIT = 16
"""Words of a query that count."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana and Han."""
_ACCENTS = re.compile("[\u0300-\u036f\ufe00-\ufe0f\u00ad\u200c\u200d\u2060\ufeff]")
"""Marks on letters of alphabets, variation selectors, and what joins or parts letters without being seen."""
_MARKS = "".join(mark for mark in map(chr, range(0x370, 0x10000)) if unicodedata.category(mark).startswith("M"))
"""Vowel signs and the like, which belong to the word that they stand in."""
_PART = re.compile(rf"([{_UNSPACED}]+)|([^\W{_UNSPACED}](?:[^\W{_UNSPACED}]|[{_MARKS}])*)|([^\x00-\x7f])")


def words_of(text: str) -> set[str]:
    """Every word under which a text is found. None holds a space, a quote or any other punctuation but `_`."""
    found: set[str] = set()
    for run, word, sign in _parts(text):
        if run:
            found.update(run, _pairs(run))
        elif word:
            found.add(word[:WORD_LIMIT])
            found.update(part[:WORD_LIMIT] for part in word.split("_") if part)
        else:
            found.add(sign)
    return found


def words_asked(query: str) -> list[str]:
    """The words that a query asks for, in its order, each once, 16 at most."""
    return list(dict.fromkeys(_asked(query)))[:QUERY_LIMIT]


def _asked(query: str) -> Iterator[str]:
    for run, word, sign in _parts(query):
        if run:
            yield from _pairs(run) if len(run) > 1 else run
        else:
            yield word[:WORD_LIMIT] or sign


def _parts(text: str) -> Iterator[tuple[str, str, str]]:
    """Either a run of an unspaced script, a word, or a sign, in order."""
    for run, word, sign in _PART.findall(_plain(text)):
        name = word.strip("_")
        if run or name or (sign and unicodedata.category(sign) == "So"):
            yield run, name, sign


def _pairs(run: str) -> Iterable[str]:
    return (one + other for one, other in pairwise(run))


def _plain(text: str) -> str:
    """Without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()[:TEXT_LIMIT]
    folded = unicodedata.normalize("NFKD", text[:TEXT_LIMIT]).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", folded))[:TEXT_LIMIT]

"""Words of a text (pure): bounded, folded and stemmed alike for every comparison."""

from __future__ import annotations

import re
import unicodedata

MAX_TEXT = 64 * 1024
MAX_TOKENS = 4_000

_WORD = re.compile(r"[^\W\d_]{2,60}")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "e")

_STOPWORDS = """
a about after again all also always am an and any are as at be because been before being both but by can cannot could
did do does doing done for from get gets getting give got had has have having he her here how i if in into is issue it
its just like make me more most my need no not now of off on one only or other our out over please problem same see
seems should so some still such than that the their them then there these they thing this those through to too try two
under until up use used using very want was way we were what when where which while who why will with would you your
"""
STOPWORDS = frozenset(_STOPWORDS.split())


def folded(text: str) -> str:
    """The first 64 KB, compatibility forms unified, lower case."""
    return unicodedata.normalize("NFKC", text[:MAX_TEXT]).casefold()


def tokens(text: str) -> list[str]:
    """Stemmed significant words in order, at most MAX_TOKENS."""
    words = (match[0] for match in _WORD.finditer(folded(text)))
    return [stem(word) for word in words if word not in STOPWORDS][:MAX_TOKENS]


def stem(word: str) -> str:
    """Enough of a stemmer to make `stores`, `stored` and `storing` one word."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word

"""What to look for in the repository, taken from a report (pure). Terms are search words, never commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from triage.schemas import Report, Word
from triage.text import MAX_TEXT, STOPWORDS, tokens

MAX_SYMBOLS = 16
MAX_PATHS = 8
MAX_WORDS = 8

_PATH = re.compile(
    r"(?<![\w.-])/?(?:[\w.-]{1,40}/){0,8}[\w-]{1,60}\.(?:py|js|ts|tsx|jsx|go|rs|java|rb|c|h|cpp|cs|php|sql|toml|md)\b"
)
_FRAME = re.compile(r"File \"[^\"]{1,300}\", line \d+, in (\w{2,80})")
_QUOTED = re.compile(r"`([^`\n]{2,120})`")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{1,79}")
_CODE_LIKE = re.compile(
    r"\b(?:[a-z]\w{0,40}_\w{1,60}|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[a-z]+[A-Z]\w{1,60}|\w{2,60}(?=\(\)))\b"
)
_DOTTED = re.compile(r"\b[a-z_]\w{1,40}(?:\.[A-Za-z_]\w{1,40}){1,5}\b")
_ISSUE = re.compile(r"(?<![\w&])#(\d{1,7})\b")

# What every traceback and every language says; finding it says nothing.
_COMMON_WORDS = """
self none true false null undefined print main init args kwargs traceback valueerror typeerror keyerror attributeerror
runtimeerror assertionerror exception error string object list dict import return class async await def github com www
http https json javascript typescript
"""
_COMMON = frozenset(_COMMON_WORDS.split())


class SearchTerms(Word):
    """Bounded, most telling first. `symbols` are identifiers, `paths` look like files, `words` come from the title."""

    symbols: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def mentioned_in(self, text: str) -> frozenset[str]:
        """The symbols that a text names as whole words, compared without case."""
        said = {match[0].casefold() for match in _IDENTIFIER.finditer(text[:MAX_TEXT])}
        return frozenset(symbol for symbol in self.symbols if symbol.casefold() in said)


def search_terms(report: Report) -> SearchTerms:
    """Symbols, paths and title words of what the reporter wrote."""
    text = report.reporter_text[:MAX_TEXT]
    paths = tuple(_distinct(_PATH.findall(text), MAX_PATHS))
    return SearchTerms(
        symbols=tuple(_distinct(_symbols(text, paths), MAX_SYMBOLS)),
        paths=paths,
        words=tuple(_distinct((word for word in tokens(report.title) if len(word) > 3), MAX_WORDS)),
    )


def _symbols(text: str, paths: tuple[str, ...]) -> Iterator[str]:
    for candidate in _candidates(text, paths):
        plain = candidate.casefold()
        if len(plain) > 2 and plain not in _COMMON and plain not in STOPWORDS:
            yield candidate


def _candidates(text: str, paths: tuple[str, ...]) -> Iterator[str]:
    """Frames first (nearest to the failure last in Python), then quoted code, then what looks like code."""
    yield from reversed(_FRAME.findall(text))
    for quoted in _QUOTED.findall(text):
        if quoted not in paths:
            yield from _IDENTIFIER.findall(quoted)
    for path in paths:
        text = text.replace(path, " ")
    yield from _CODE_LIKE.findall(text)
    for dotted in _DOTTED.findall(text):
        yield from dotted.split(".")


def issue_references(text: str) -> frozenset[int]:
    """Issue numbers that a text refers to as `#12`."""
    return frozenset(int(number) for number in _ISSUE.findall(text))


def _distinct(found: Iterable[str], limit: int) -> list[str]:
    return list(dict.fromkeys(found))[:limit]

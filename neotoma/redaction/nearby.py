"""A secret and what it is called with no sign between: on the line below, in brackets behind, in words before it."""

import re
from collections.abc import Iterator

from neotoma.redaction import shapes
from neotoma.redaction.hints import NOUNS
from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View

_NOUNS = frozenset(NOUNS) - {"login"}
_Q = r"[\"'`*]{0,3}"
_BELOW = re.compile(
    rf"s?{_Q}[ \t]{{0,4}}(?P<sign>->|=>|[:=])?{_Q}[ \t]{{0,4}}\r?\n(?:[ \t]{{0,24}}\r?\n)?[ \t>]{{0,24}}{_Q}"
    rf"(?P<secret>[^\s\"'`*]{{8,256}}){_Q}[ \t]{{0,4}}(?=[\r\n]|\Z)"
)
_BEHIND = re.compile(r"s?[ ]?\([\"'`]?(?P<secret>[^\s()\"'`]{8,256})[\"'`]?\)")
_SAID = re.compile(
    r"[ ](?:is|was|as|for)[ ](?:(?:my|the|our|your|their|its|a|an|new|old|admin|root|user|db|database|api)[ ]){0,3}$"
)
# Without a colon a short line: more words before the noun make it a sentence.
_SHORT_LINE = re.compile(r"(?:\A|\n)[^\n]{0,24}$")


@shown_by(*_NOUNS)
def find(view: View) -> Iterator[Span]:
    text = view.text
    for at, noun in view.words:
        if noun in _NOUNS:
            end = at + len(noun)
            if "\n" in text[end : end + 40]:
                yield from _below(text, at, end)
            if "(" in text[end : end + 3]:
                yield from _behind(text, end)
            if text.startswith(" ", at - 1):
                yield from _before(text, at)


def _below(text: str, start: int, end: int) -> Iterator[Span]:
    found = _BELOW.match(text, end)
    if found is None or not (found["sign"] or _SHORT_LINE.search(text, max(0, start - 25), start)):
        return
    if shapes.looks_random(found["secret"], 8):
        yield Span(*found.span("secret"), "password")


def _behind(text: str, end: int) -> Iterator[Span]:
    found = _BEHIND.match(text, end)
    if found and shapes.looks_random(found["secret"], 10):
        yield Span(*found.span("secret"), "password")


def _before(text: str, at: int) -> Iterator[Span]:
    """`X is my password`, `use X as the new token`."""
    said = _SAID.search(text, max(0, at - 40), at)
    if said is None:
        return
    window = text[max(0, said.start() - 160) : said.start()]
    secret = window[max(map(window.rfind, " \n\t")) + 1 :].strip("\"'`*()")
    if shapes.looks_random(secret, 8):
        start = said.start() - len(window) + window.rindex(secret)
        yield Span(start, start + len(secret), "password")

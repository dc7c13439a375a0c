"""Tokens recognised by the prefix, or another fixed part, that their vendor gave them."""

import re
from collections.abc import Iterator
from functools import cache

from neotoma.redaction import shapes
from neotoma.redaction.infixes import INFIXES
from neotoma.redaction.rules import LONG_WORD, shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.vendors import VENDORS, Vendor
from neotoma.redaction.views import Run, View
from neotoma.redaction.words import any_of

_BY_PREFIX = {prefix: vendor for vendor in VENDORS for prefix in vendor.prefixes.split()}
# At the beginning of a word, or behind the `m` that ends a terminal's colour.
_PREFIX = re.compile(r"(?<![A-Za-ln-z0-9])(?<![^0-9]m)" + any_of(_BY_PREFIX))


_HEX = re.compile(r"[0-9a-f]{32}")


@cache
def _families(prefix: str) -> tuple[tuple[re.Pattern[str], Vendor], ...]:
    """The families whose prefix this is, or begins: `sk-ant-` may also turn out a plain `sk-`."""
    return tuple(
        (re.compile(f"{re.escape(known)}(?P<body>{vendor.body})(?![A-Za-z0-9])"), vendor)
        for vendor in VENDORS
        for known in vendor.prefixes.split()
        if prefix.startswith(known)
    )


@shown_by(LONG_WORD)
def find_vendors(view: View) -> Iterator[Span]:
    # Where a prefix repeats inside a body that was none, what follows it is no token of that family either.
    dull: dict[str, int] = {}
    for prefix in _prefixes(view):
        if prefix.start() < dull.get(prefix[0], 0):
            continue
        for pattern, vendor in _families(prefix[0]):
            found = pattern.match(view.text, prefix.start())
            if found is None:
                continue
            body = found["body"].rstrip(".")
            if _is_token(vendor, body):
                yield Span(prefix.start(), found.start("body") + len(body), vendor.kind)
                break
            if not shapes.mixed(body):
                dull[prefix[0]] = found.end()


def _prefixes(view: View) -> Iterator[re.Match[str]]:
    return (prefix for word in view.long_words for prefix in _PREFIX.finditer(view.text, word.start, word.end))


def _is_token(vendor: Vendor, body: str) -> bool:
    if vendor.checked and not (shapes.looks_random(body, 10) or _HEX.search(body)):
        return False
    return not shapes.masked(body)


@shown_by(LONG_WORD, "wifi:")
def find_infixes(view: View) -> Iterator[Span]:
    whole = Run(0, len(view.text), view.text)
    words = " ".join([word.text for word in view.long_words])
    for infix in INFIXES:
        shown = infix.trigger in (view.text if infix.apart else words)
        for place in ([whole] if infix.apart else view.long_words) if shown else ():
            if infix.trigger in place.text:
                for found in infix.pattern.finditer(view.text, place.start, place.end):
                    yield Span(*found.span("secret" if infix.pattern.groups else 0), infix.kind)

"""Tokens recognised by the prefix, or another fixed part, that their vendor gave them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache

from neotoma.redaction import shapes
from neotoma.redaction.infixes import INFIXES
from neotoma.redaction.spans import Span
from neotoma.redaction.vendors import VENDORS, Vendor
from neotoma.redaction.views import View


def _any_of(literals: Iterable[str]) -> str:
    """One pattern for many literals, longest first, branching letter by letter: the engine tries few of them."""
    branches: dict[str, list[str]] = defaultdict(list)
    for literal in literals:
        branches[literal[:1]].append(literal[1:])
    optional = "" in branches
    parts = [re.escape(first) + _any_of(rest) for first, rest in sorted(branches.items()) if first]
    if not parts:
        return ""
    return ("(?:" + "|".join(parts) + ")" if len(parts) > 1 or optional else parts[0]) + ("?" if optional else "")


_BY_PREFIX = {prefix: vendor for vendor in VENDORS for prefix in vendor.prefixes.split()}
_PREFIX = re.compile(r"(?<![A-Za-z0-9])" + _any_of(_BY_PREFIX))


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


def find_vendors(view: View) -> Iterator[Span]:
    # Where a prefix repeats inside a body that was none, what follows it is no token of that family either.
    dull: dict[str, int] = {}
    for prefix in _PREFIX.finditer(view.text):
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


def _is_token(vendor: Vendor, body: str) -> bool:
    if vendor.checked and not (shapes.looks_random(body, 10) or _HEX.search(body)):
        return False
    return not shapes.masked(body)


def find_infixes(view: View) -> Iterator[Span]:
    for infix in INFIXES:
        if infix.trigger in view.text:
            for found in infix.pattern.finditer(view.text):
                yield Span(*found.span("secret" if infix.pattern.groups else 0), infix.kind)

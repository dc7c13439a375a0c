"""Quotes inside strings inside documents."""

import re

_DOCUMENT = re.compile(r"\s{0,64}[{\[\"]")


def is_json(text: str) -> bool:
    """Whether the text may be a JSON document: what it begins with decides."""
    return _DOCUMENT.match(text) is not None


def depth(slashes: int) -> int:
    """How many strings deep a double quote with so many backslashes before it stands.

    One that stands k deep has 2**k - 1. More are escaped backslashes, which come in multiples of 2**(k + 1).
    """
    return (slashes ^ (slashes + 1)).bit_length() - 1


def quote(deep: int) -> str:
    """A double quote so many strings deep."""
    return "\\" * ((1 << deep) - 1) + '"'

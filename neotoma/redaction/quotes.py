"""Quotes inside strings inside documents."""

import re

_DOCUMENT = re.compile(r"\s{0,64}[{\[\"]")
_QUOTE = re.compile(r"\\{0,31}\"")


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


class Strings:
    """Reads the double quotes of a text once, from its start to its end."""

    def __init__(self, text: str) -> None:
        self._quotes = _QUOTE.finditer(text)
        self._next = next(self._quotes, None)
        self._deep = 0
        self._open: dict[int, bool] = {}

    def around(self, at: int) -> tuple[int, bool]:
        """How deep the last quote before this place stands, and whether it opened a string. Places must not go back."""
        while self._next is not None and self._next.end() <= at:
            self._deep = depth(len(self._next[0]) - 1)
            self._open[self._deep] = not self._open.get(self._deep, False)
            self._next = next(self._quotes, None)
        return self._deep, self._open.get(self._deep, False)

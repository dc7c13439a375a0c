"""Untrusted text as data (pure): inside a boundary that its author cannot know, with nothing hidden in it."""

from __future__ import annotations

import re
import unicodedata

from neotoma.substrate.errors import Refusal

_BOUNDARY = re.compile(r"[A-Za-z0-9]{16,64}")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_PLAIN_CONTROLS = frozenset("\n\t")

# Fillers and selectors that render as nothing although Unicode files them under letters and marks.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


class BadBoundary(Refusal):
    """The boundary is guessable, or the text holds it: draw another."""

    error_code = "ERR_BAD_BOUNDARY"
    status = 500
    hint = "Draw a fresh random boundary of 16 to 64 letters and digits."


def wrap(text: str, boundary: str) -> str:
    """`text` made visible between two lines that only the caller knows.

    `boundary` is random and drawn by the caller for this one text. Raises BadBoundary.
    """
    shown = visible(text)
    if _BOUNDARY.fullmatch(boundary) is None:
        raise BadBoundary("The boundary is not 16 to 64 letters and digits.")
    if boundary.casefold() in shown.casefold():
        raise BadBoundary("The text holds its own boundary.")
    return f"<<<data {boundary}\n{shown}\n>>>data {boundary}"


def visible(text: str) -> str:
    """Every character that a reader cannot see becomes its code point in brackets; line ends become one kind."""
    return "".join(_shown(character) for character in text.replace("\r\n", "\n"))


def without_hidden(text: str) -> str:
    """The text as it would read aloud: hidden characters gone. For matching only, never for storing."""
    return "".join(character for character in text if not is_hidden(character))


def is_hidden(character: str) -> bool:
    """True for controls, formats, private use, surrogates, selectors and blank letters."""
    if character in _PLAIN_CONTROLS:
        return False
    return (
        unicodedata.category(character) in _HIDDEN_CATEGORIES
        or character in _BLANKS
        or "\ufe00" <= character <= "\ufe0f"
        or "\U000e0100" <= character <= "\U000e01ef"
    )


def _shown(character: str) -> str:
    return f"[U+{ord(character):04X}]" if is_hidden(character) else character

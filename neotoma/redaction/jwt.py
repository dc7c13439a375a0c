"""JSON Web Tokens, signed or encrypted, on one line or wrapped by a mailer or a terminal."""

import re
from collections.abc import Iterator

from neotoma.redaction import shapes
from neotoma.redaction.rules import LONG_WORD, shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View

_BREAK = r"(?:[\\=]?\r?\n[ \t>|+#*]{0,24})"
_SEGMENT = r"[A-Za-z0-9_\-]"
_LINE_END = r"(?=\.|[\\=]?\r?\n|[\"'`]|\s{0,8}\Z)"
_LINES = rf"{_SEGMENT}{{0,4096}}+(?:{_BREAK}{_SEGMENT}{{1,4096}}+{_LINE_END}){{0,24}}+"
_DOT = rf"{_BREAK}?\.{_BREAK}?"
_TOKEN = re.compile(
    rf"(?<![A-Za-z0-9_\-])eyJ(?P<header>{_LINES}){_DOT}(?P<payload>{_LINES})"
    rf"(?:{_DOT}(?P<signature>{_LINES})(?:\.{_SEGMENT}{{0,4096}}+){{0,2}}+)?"
)


@shown_by(LONG_WORD)
def find(view: View) -> Iterator[Span]:
    for found in _TOKEN.finditer(view.text) if "eyJ" in view.text else ():
        parts = (found["header"], found["payload"], found["signature"] or "")
        if len(parts[0]) >= 8 and (len(parts[1]) >= 6 or len("".join(parts)) >= 60):
            yield Span(found.start(), _end(view.text, found), "jwt")


def _end(text: str, found: re.Match[str]) -> int:
    """Without a line of ordinary words that follows the token, and without its sentence's full stop."""
    end = found.end()
    while "\n" in text[found.start() : end]:
        line = text[text.rindex("\n", found.start(), end) + 1 : end].strip(" \t>|+#*.")
        if not shapes.plain(line):
            break
        end = text.rindex("\n", found.start(), end)
    while text[end - 1] in ".\r\n \t\\":
        end -= 1
    return end

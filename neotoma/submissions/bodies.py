r"""Undo one JSON layer too many in a body, and nothing else (pure).

Some callers encode twice, so that a body arrives with `\n` in two characters. Paths, regular expressions and code hold
such pairs too and must survive to the byte: only a body without any real newline is touched, whose every backslash
pair is a JSON escape and whose every `\n` stands where a line plausibly ends.
"""

from __future__ import annotations

import json
import re

_PAIR = re.compile(r"\\(.)", re.DOTALL)
_JSON_PAIRS = frozenset('nrt"\\/u')
_LINE_END = re.compile(
    r"""(?<![\w:\\])(?:\\r)?\\n | (?:\\r)?\\n (?= \\[nrt] | [\s\-*#>`|=+0-9A-Z(\[] | \Z)""", re.VERBOSE
)
_DRIVE = re.compile(r"(?<![\w])[A-Za-z]:\\")


def unescape_once(body: str) -> tuple[str, bool]:
    """The body with one escape layer undone, and whether it was; a second run changes nothing."""
    if "\n" in body or "\\n" not in body or _DRIVE.search(body):
        return body, False
    pairs = [match[1] for match in _PAIR.finditer(body)]
    if not _JSON_PAIRS.issuperset(pairs) or len(_LINE_END.findall(body)) != pairs.count("n"):
        return body, False
    try:
        decoded = json.loads('"' + re.sub(r'(?<!\\)"', r"\"", body) + '"')
    except ValueError:
        return body, False
    return str(decoded), True

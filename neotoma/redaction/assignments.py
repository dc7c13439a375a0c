"""`name = value` in every syntax: env, INI, YAML, JSON (escaped too), code, headers, pairs in lists, calls."""

import re
import string
from collections.abc import Iterator

from neotoma.redaction import values
from neotoma.redaction.hints import NAMES
from neotoma.redaction.names import Secrecy, secrecy
from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View

_NAMES = frozenset(NAMES)
_TYPES = (
    r"(?:[&']{0,2}(?:static )?(?:std::)?(?:str|string|String|NSString|char|SecretStr|text|bytes|Final|any"
    r"|Optional\[str\])(?:\[str\])?(?: ?\| ?(?:None|null|undefined))?)"
)
_PAIR = re.compile(
    r"-{0,2}(?P<name>[\w\-]{2,80}+)(?P<close>\\{0,7}[\"'`]|\*{1,2})?"
    r"(?:"
    r"[\])]{0,2}+[ \t]{0,24}+(?=[=:|?!+\-])"
    rf"(?P<op>[?!]?:[ \t]?{_TYPES}[ \t]?=|=>|->|:=|\?\?=?|\|\|=?|[=!]==?|\+?=|:|\|)(?:\*\*(?=[ ]))?[ \t]{{0,24}}+"
    r"|(?P<comma>,[ \t]{0,8}+\r?\n?[ \t]{0,24}+)(?=\\{0,7}[\"'`])"
    r"|(?P<call>\()(?=[bru]?\\{0,7}[\"'`])"
    r")"
)
_INNER = re.compile(
    r"[ \t]{0,8}(?:\{|\r?\n)[ \t\r\n]{0,80}\\{0,7}[\"']?(?:value|val|default|current|plain|plaintext|raw|content|data)"
    r"\\{0,7}[\"']?[ \t]{0,4}[:=][ \t]{0,4}"
)
_QUOTE_AHEAD = re.compile(r"\\{0,15}[\"'`]")
NAME_CHARACTERS = string.ascii_letters + string.digits + "_-"
_WORDS_BEFORE = re.compile(r"([^\W_]{2,20}[ \t]){1,3}$")
_DECLARES = r"(?:export|set|setx|ENV|ARG|const|let|var|final|private|public|static|env:)"
_LINE_START = re.compile(rf"(?:^|[\n;{{,|]|\\n)[ \t>+\-*#|\"'`$]{{0,24}}(?:{_DECLARES}[ \t:]){{0,3}}$")


@shown_by(*NAMES)
def find(view: View) -> Iterator[Span]:
    text, done = view.text, 0
    for start in _names(view):
        pair = _PAIR.match(text, start) if start >= done else None
        secret = _secrecy(text, pair) if pair else None
        if pair is None or secret is None or _ends_string(text, pair):
            continue
        value = values.read(text, _begin(text, pair))
        if value and _hideable(text, pair, secret, value):
            done = values.whole(text, value).end
            yield Span(value.start, done, secret.kind)


def _names(view: View) -> list[int]:
    """Where names begin that hold a word worth a look, in order."""
    starts = set()
    for at, word in view.words:
        if word in _NAMES:
            before = view.text[max(0, at - 80) : at]
            starts.add(at - len(before) + len(before.rstrip(NAME_CHARACTERS)))
    return sorted(starts)


def _ends_string(text: str, pair: re.Match[str]) -> bool:
    """Whether the quote behind the sign is the one that was opened before the name: `expect "password:"`."""
    closing = None if pair["close"] else _QUOTE_AHEAD.match(text, pair.end())
    if closing is None:
        return False
    return text.endswith(closing[0], 0, pair.start()) and not text.endswith("\\" + closing[0], 0, pair.start())


def _begin(text: str, pair: re.Match[str]) -> int:
    """Where the value begins: behind the name, or behind the `value:` of a block under it."""
    inner = _INNER.match(text, pair.end())
    return inner.end() if inner else pair.end()


def _secrecy(text: str, pair: re.Match[str]) -> Secrecy | None:
    name, start = pair["name"], pair.start("name")
    secret = secrecy(name)
    if text[start - 1 : start] == "\\" and name[0] in "nrt":
        secret = secrecy(name[1:]) or secret
    return secret if secret is None or secret.strong else worded(text, start, name) or secret


def worded(text: str, start: int, name: str) -> Secrecy | None:
    """A weak name may be the end of a strong one in words: `API key: X`."""
    if start < 3 or text[start - 1] != " " or not text[start - 2].isalpha():
        return None
    words_before = _WORDS_BEFORE.search(text, max(0, start - 64), start)
    return secrecy(f"{words_before[0].strip()} {name}") if words_before else None


def _hideable(text: str, pair: re.Match[str], secret: Secrecy, value: values.Value) -> bool:
    content = text[value.start : value.end]
    if not values.hideable(content, secret, quoted=value.quoted, stated=_stated(text, pair, value)):
        return False
    if pair["comma"] or pair["call"]:
        return bool(pair["close"] or pair["call"]) and values.telling(content) and " " not in content
    return secret.strong or not _bare_pass(pair)


def _stated(text: str, pair: re.Match[str], value: values.Value) -> bool:
    """An unquoted value counts without further signs after a tight `=`, or alone on the line of its name."""
    op = pair["op"] or ""
    if op in ("=", "+=", ":=") and text[pair.end() - 1] == "=":
        return True
    ends_line = value.end >= len(text) or text[value.end] in "\r\n\\\"'`,;}#" or text.startswith(" #", value.end)
    return ends_line and _LINE_START.search(text, max(0, pair.start() - 40), pair.start()) is not None


def _bare_pass(pair: re.Match[str]) -> bool:
    """`PASS: tests/test_x.py` is a test report."""
    return pair["name"] in ("PASS", "Pass") and pair["op"] == ":"

"""Read the value that follows a name, whatever the syntax, and decide whether it is worth hiding."""

import re
from typing import NamedTuple

from neotoma.redaction import shapes
from neotoma.redaction.names import Secrecy, judge
from neotoma.redaction.quotes import depth, is_json
from neotoma.redaction.spans import HIDDEN


class Value(NamedTuple):
    """Where the value stands, and whether quotes (or tags) bound it."""

    start: int
    end: int
    quoted: bool


# Quotes, perhaps inside a call such as SecretStr("X") or behind a string prefix; or a YAML block.
_OPEN = re.compile(
    r"(?:(?:[A-Za-z_][\w.]{0,40}\(|[bBrRuUfF$@]{1,2})?(?P<quote>\\{0,7}(?:\"\"\"|'''|[\"'`]))"
    r"|[|>][+\-]?[ \t]{0,4}\r?\n[ \t]{1,32})"
)
_BODY = {quote: re.compile(rf"(?:\\[^\n]|[^\\\n{quote}]){{0,4096}}+") for quote in "\"'`"}
# In a JSON document a bare double quote ends the string around whatever was opened inside it.
_BODY_IN_JSON = {quote: re.compile(rf"(?:\\[^\n]|[^\\\n\"{quote}]){{0,4096}}+") for quote in "\"'`"}
_QUOTES = re.compile(r"(?P<slashes>\\{0,15})[\"'`]")
# A separator ends an unquoted value only where another pair, a space or the end follows: passwords hold them too.
_BARE_CHARACTER = (
    r"(?:[^\s\"'`<>\\;&,\ufffc]"
    r"|[;&,](?![\s\"']|$|(?:quot|apos|lt|gt|#39|#x27);|[\w.\-]{1,40}(?: [\w.\-]{1,20}){0,2}[=:])"
    r"|'(?=[A-Za-z0-9])(?<=[A-Za-z0-9]')|\\(?![nrtbfu\"'\\/\s]|$))"
)
_BARE = re.compile(_BARE_CHARACTER + "{1,256}+")
_REST = re.compile(_BARE_CHARACTER + "{0,4096}+")
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_IDENTIFIER = r"[A-Za-z_$][\w$]{0,60}(?:\??\.[A-Za-z_$][\w$]{0,60}){0,8}"
_CALL = re.compile(rf"{_IDENTIFIER}[!?]?\((?:{_IDENTIFIER}|[0-9]{{1,6}})?(?:\)[.\[(].{{0,200}}|\)?)")
_MEMBER = re.compile(
    r"(?:process\.env|import\.meta\.env|os\.environ|env|ENV|settings|config|secrets|vars|self|this|ctx|cfg|conf|request"
    r"|req|res|response|args|opts|options|params|data|user|credentials|creds|app|context|state|props|values|local|var"
    r"|module|github|inputs|steps|event|body|headers|session|client|auth)(?:\??\.|\[|->|::)[\w$.\[\]?>:\-]{0,120}"
    r"|[A-Za-z_$]{2,40}(?:\??\.[A-Za-z_$]{2,40}){1,6}|[A-Za-z_$][\w$.]{0,60}\[\w{0,40}\]?|&?mut\b.{0,40}|&'?\w{1,20}"
)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{1,20}://")


def read(text: str, at: int) -> Value | None:
    """The value that begins at `at`, quotes excluded; None where nothing is."""
    opened = _OPEN.match(text, at)
    if opened and opened["quote"]:
        if opened["quote"] == '"' and is_json(text) and not _behind_quote(text, at):
            return None
        return _quoted(text, opened.end(), opened["quote"])
    start = opened.end() if opened else at
    bare = _BARE.match(text, start)
    if bare is None:
        return None
    end = _untailed(text, start, bare.end())
    return Value(start, end, quoted=False) if end > start else None


def _behind_quote(text: str, at: int) -> bool:
    """In JSON a bare quote begins a value only behind a name in quotes; in "Enter password:" it is the end."""
    before = text[max(0, at - 24) : at].rstrip(" \t\r\n:=>,([")
    return before.endswith('"') and not before.endswith('\\"')


def whole(text: str, value: Value) -> Value:
    """The value to its end: `read` looks at the first 256 characters of an unquoted one, enough to judge it."""
    rest = None if value.quoted or value.end - value.start < 250 else _REST.match(text, value.end)
    return value if rest is None else value._replace(end=_untailed(text, value.start, max(rest.end(), value.end)))


def _quoted(text: str, start: int, quote: str) -> Value | None:
    if len(quote) == 1:
        body = (_BODY_IN_JSON if is_json(text) else _BODY)[quote].match(text, start)
        end = body.end() if body else start
    else:
        end = _closing(text, start, quote)
    return Value(start, end, quoted=True) if end > start else None


def _closing(text: str, start: int, quote: str) -> int:
    """Where the same quote comes again, or the one that ends an outer string; else the end of the line."""
    if "\\" not in quote:
        end = text.find(quote, start, start + 4096)
        return end if end != -1 else _line_end(text, start)
    deep = depth(len(quote) - 1)
    for found in _QUOTES.finditer(text, start, start + 4096):
        here = depth(len(found["slashes"]))
        if (here == deep and found[0][-1] == quote[-1]) or (here < deep and found[0][-1] == '"'):
            return found.end() - (1 << here)
    return _line_end(text, start)


def _line_end(text: str, start: int) -> int:
    line = text.find("\n", start, start + 4096)
    return line if line != -1 else min(len(text), start + 4096)


def _untailed(text: str, start: int, end: int) -> int:
    """Without the punctuation of the sentence or the bracket around it."""
    for _ in range(4):
        last = text[end - 1] if end > start else ""
        opener = _CLOSERS.get(last)
        if (opener is not None and text.count(last, start, end) > text.count(opener, start, end)) or (
            last and last in ".,:;!?"
        ):
            end -= 1
        else:
            break
    return end


def hideable(value: str, secret: Secrecy, *, quoted: bool, stated: bool) -> bool:
    """Whether the value under a secret's name is one. `stated`: the syntax leaves no doubt that it is an assignment."""
    if HIDDEN in value:
        return telling(value.replace(HIDDEN, "").strip())
    if secret.kind == "one_time_code":
        return value.isdecimal() and 3 <= len(value) <= 10
    if value.isdecimal() and not (secret.kind == "password" and secret.strong):
        return secret.strong and len(value) >= 10
    if (
        shapes.placeholder(value)
        or shapes.path(value)
        or shapes.pattern(value)
        or _URL.match(value)
        or _names_a_secret(value)
    ):
        return False
    if not quoted and expression(value):
        return False
    if not secret.strong:
        return shapes.looks_random(value, 10 if secret.kind == "password" else 16)
    if quoted:
        return not shapes.sentence(value)
    return stated or telling(value)


def telling(value: str) -> bool:
    """In running text a secret shows by what words lack: digits among letters, or punctuation inside."""
    if len(value) < 5 or shapes.plain(value) or shapes.technical(value) or shapes.protected(value):
        return False
    return any(c.isalpha() for c in value) or len(value) >= 6


def expression(value: str) -> bool:
    """Code that fetches the value: a call, a member, an index, a variable named after a secret."""
    return _CALL.fullmatch(value) is not None or _MEMBER.fullmatch(value) is not None


def _names_a_secret(value: str) -> bool:
    """`token=my_token`, `apiKey: apiKey`, `password: "Contraseña"`: the name of a thing, not the thing."""
    name = value.strip(" :*?")
    return len(name) <= 64 and shapes.plain(name) and judge(name) is not None

"""`name = value` in every syntax: env, INI, YAML, JSON (escaped too), code, XML, headers, pairs in lists, flags."""

import re
import string
from collections.abc import Iterator

from neotoma.redaction import shapes, values
from neotoma.redaction.names import Secrecy, secrecy
from neotoma.redaction.quotes import is_json
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import words

_HINTS = (
    "pass", "pwd", "secret", "token", "key", "auth", "cred", "session", "sid", "csrf", "xsrf", "sig", "code", "salt",
    "jwt", "pepper", "bearer", "psk", "otp", "pin", "cvv", "cvc", "mnemonic", "phrase", "pat", "hmac", "pw", "ticket",
    "assertion", "mfa", "contrase", "clave", "senha", "mot", "mdp", "kennwort", "wachtwoord", "has\u0142", "hasl",
    "heslo", "parola", "ifre", "senord", "salasana", "adgangskode", "jelsz",
    "\u043f\u0430\u0440\u043e\u043b", "\u5bc6", "\u53e3\u4ee4", "\u30d1\u30b9", "\ube44\ubc00",
)  # fmt: skip
_TYPES = (
    r"(?:[&']{0,2}(?:static )?(?:std::)?(?:str|string|String|NSString|char|SecretStr|text|bytes|Final|any"
    r"|Optional\[str\])(?:\[str\])?(?: ?\| ?(?:None|null|undefined))?)"
)
_NAME = r"(?<![\w\-])-{0,2}(?P<name>[\w\-]{2,80}+)"
_PAIR = re.compile(
    _NAME + r"(?P<close>\\{0,7}[\"'`]|\*{1,2})?"
    r"(?:"
    r"[\])]{0,2}+[ \t]{0,24}+(?=[=:|?!+\-])"
    rf"(?P<op>[?!]?:[ \t]?{_TYPES}[ \t]?=|=>|->|:=|\?\?=?|\|\|=?|[=!]==?|\+?=|:|\|)(?:\*\*(?=[ ]))?[ \t]{{0,24}}+"
    r"|(?P<comma>,[ \t]{0,8}+\r?\n?[ \t]{0,24}+)(?=\\{0,7}[\"'`])"
    r"|(?P<call>\()(?=[bru]?\\{0,7}[\"'`])"
    r")"
)
_TAG = re.compile(
    r"<(?:[\w\-]{1,40}:)?(?P<name>[\w.\-]{2,80}+)(?:[ \t][^<>\n]{0,200}+)?>(?P<value>[^<>\n]{1,2048}+)(?=<)"
)
_PLIST = re.compile(r"<key>(?P<name>[\w.\- ]{2,80}+)</key>\s{0,24}<string>(?P<value>[^<>\n]{1,2048}+)</string>")
_FLAG = re.compile(r"(?<![\w\-])--?(?P<name>[A-Za-z][\w\-]{1,60}+)[ \t]{1,4}+(?=[^\s=:|,(\-])")
_SPACED = re.compile(
    r"(?P<noun>pass(?:word|wd|phrase|code)?|pwd|token|secret|key|pat)[ \t]{1,4}+(?=[\"'`]|[^\s=:|,(\-]{0,80}?[0-9])"
)
_NAME_CHARACTERS = string.ascii_letters + string.digits + "_-"
_Q = r"\\{0,7}[\"']?"
_IS = r"[ ]{0,4}[:=][ ]{0,4}"
_NAMED = re.compile(
    rf"(?<![^\W_])(?:(?:name|key|id|variable|env|field|param|header){_Q}{_IS}|variable[ ])"
    rf"{_Q}(?P<name>[\w.\-]{{2,80}}+){_Q}[ \t]{{0,8}}(?:[,;{{\n]|\r\n|(?=[ ]))[\s\-]{{0,40}}"
    rf"(?:{_Q}\w{{2,16}}{_Q}{_IS}[\w\"']{{1,24}}[,;]?\s{{1,40}}){{0,2}}{_Q}(?:value|default|val){_Q}{_IS}",
    re.IGNORECASE,
)
_ABOUT_FLAGS = words("flag flags option options argument arguments switch parameter before after into instead")
_WORDS_BEFORE = re.compile(r"([^\W_]{2,20}[ \t]){1,3}$")
_DECLARES = r"(?:export|set|setx|ENV|ARG|const|let|var|final|private|public|static|env:)"
_LINE_START = re.compile(rf"(?:^|[\n;{{,|]|\\n)[ \t>+\-*#|\"'`$]{{0,24}}(?:{_DECLARES}[ \t:]){{0,3}}$")


def find(view: View) -> Iterator[Span]:
    if not any(hint in view.lower for hint in _HINTS):
        return
    text, done = view.text, 0
    for pair in _PAIR.finditer(text):
        secret = _secrecy(text, pair) if pair.start() >= done else None
        value = values.read(text, pair.end()) if secret else None
        if secret and value and _hideable(text, pair, secret, value):
            done = values.whole(text, value).end
            yield Span(value.start, done, secret.kind)


def find_tags(view: View) -> Iterator[Span]:
    """`<password>X</password>`, and the pairs of a property list."""
    if "</" not in view.text:
        return
    for pattern in (_TAG, _PLIST):
        for tag in pattern.finditer(view.text):
            secret = secrecy(tag["name"])
            if (
                secret
                and _in_one_string(view.text, tag["value"])
                and values.hideable(tag["value"], secret, quoted=True, stated=True)
            ):
                yield Span(*tag.span("value"), secret.kind)


def _in_one_string(text: str, value: str) -> bool:
    return '"' not in value.replace('\\"', "") or not is_json(text)


def find_named(view: View) -> Iterator[Span]:
    """`name: DB_PASSWORD, value: X`: the name is itself a value."""
    if "value" not in view.lower and "default" not in view.lower:
        return
    for named in _NAMED.finditer(view.text):
        secret = secrecy(named["name"])
        value = values.read(view.text, named.end()) if secret else None
        if secret and value:
            content = view.text[value.start : value.end]
            if values.hideable(content, secret, quoted=value.quoted, stated=True):
                yield Span(value.start, values.whole(view.text, value).end, secret.kind)


def find_flags(view: View) -> Iterator[Span]:
    """`--password X`: behind a flag even a plain word is a value."""
    if " -" not in view.text or not any(hint in view.lower for hint in _HINTS):
        return
    for flag in _FLAG.finditer(view.text):
        secret = secrecy(flag["name"])
        value = values.read(view.text, flag.end()) if secret else None
        if secret and value and _flagged(secret, view.text[value.start : value.end], value):
            yield Span(value.start, values.whole(view.text, value).end, secret.kind)


def _flagged(secret: Secrecy, content: str, value: values.Value) -> bool:
    prose = shapes.plain(content) and content.lower() in _ABOUT_FLAGS
    return not prose and values.hideable(content, secret, quoted=value.quoted, stated=True)


def find_spaced(view: View) -> Iterator[Span]:
    """`machine h login u password X`, `ENV API_KEY X`, `using token X`: nothing but a space between."""
    if not any(noun in view.lower for noun in ("pass", "pwd", "token", "secret", "key", "pat")):
        return
    text, done = view.text, 0
    for found in _SPACED.finditer(view.lower):
        secret = _spaced_secrecy(text, found) if found.start() >= done else None
        value = values.read(text, found.end()) if secret else None
        if secret and value and _spaced(secret, text[value.start : value.end], value):
            done = values.whole(text, value).end
            yield Span(value.start, done, secret.kind)


def _spaced_secrecy(text: str, found: re.Match[str]) -> Secrecy | None:
    before = text[max(0, found.start() - 60) : found.start()]
    start = found.start() - len(before) + len(before.rstrip(_NAME_CHARACTERS))
    name = text[start : found.end("noun")]
    secret = secrecy(name)
    return secret if secret is None or secret.strong else _worded(text, start, name) or secret


def _spaced(secret: Secrecy, content: str, value: values.Value) -> bool:
    if not values.hideable(content, secret, quoted=value.quoted, stated=False):
        return False
    if value.quoted:
        return secret.strong and " " not in content and not shapes.identifier(content)
    return shapes.looks_random(content, 7) or (len(content) >= 32 and content.isalnum())


def _secrecy(text: str, pair: re.Match[str]) -> Secrecy | None:
    name, start = pair["name"], pair.start("name")
    secret = secrecy(name)
    if text[start - 1 : start] == "\\" and name[0] in "nrt":
        secret = secrecy(name[1:]) or secret
    return secret if secret is None or secret.strong else _worded(text, start, name) or secret


def _worded(text: str, start: int, name: str) -> Secrecy | None:
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

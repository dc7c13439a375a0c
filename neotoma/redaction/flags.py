"""Nothing but a space between name and value: `--password X`, `machine h login u password X`, `using token X`."""

import re
from collections.abc import Iterator

from neotoma.redaction import shapes, values
from neotoma.redaction.assignments import NAME_CHARACTERS, worded
from neotoma.redaction.hints import NAMES
from neotoma.redaction.names import Secrecy, secrecy
from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import words

_FLAG = re.compile(r"(?<![\w\-])--?(?P<name>[A-Za-z][\w\-]{1,60}+)[ \t]{1,4}+(?=[^\s=:|,(\-])")
_SPACED = re.compile(
    r"(?P<noun>pass(?:word|wd|phrase|code|wort)?|pwd?|token|secret|key|pat|contrase(?:\u00f1|n)a|senha|kennwort|clave)"
    r"[ \t]{1,4}+(?=[\"'`]|[^\s=:|,(\-]{0,80}?[0-9])"
)
_SHORT = frozenset(("pass", "pw", "pwd", "token", "secret", "key", "pat", "contrase", "senha", "kennwort", "clave"))
_ABOUT_FLAGS = words("flag flags option options argument arguments switch parameter before after into instead")


@shown_by(*NAMES)
def find_flags(view: View) -> Iterator[Span]:
    """`--password X`: behind a flag even a plain word is a value."""
    if " -" not in view.text:
        return
    for flag in _FLAG.finditer(view.text):
        secret = secrecy(flag["name"])
        value = values.read(view.text, flag.end()) if secret else None
        if secret and value and _flagged(secret, view.text[value.start : value.end], value):
            yield Span(value.start, values.whole(view.text, value).end, secret.kind)


def _flagged(secret: Secrecy, content: str, value: values.Value) -> bool:
    prose = shapes.plain(content) and content.lower() in _ABOUT_FLAGS
    return not prose and values.hideable(content, secret, quoted=value.quoted, stated=True)


@shown_by(*_SHORT)
def find_spaced(view: View) -> Iterator[Span]:
    """`machine h login u password X`, `ENV API_KEY X`, `using token X`: nothing but a space between."""
    text, done = view.text, 0
    for at, word in view.words:
        found = _SPACED.match(view.lower, at) if at >= done and word in _SHORT else None
        secret = _spaced_secrecy(text, found) if found else None
        value = values.read(text, found.end()) if found and secret else None
        if secret and value and _spaced(secret, text[value.start : value.end], value):
            done = values.whole(text, value).end
            yield Span(value.start, done, secret.kind)


def _spaced_secrecy(text: str, found: re.Match[str]) -> Secrecy | None:
    before = text[max(0, found.start() - 60) : found.start()]
    start = found.start() - len(before) + len(before.rstrip(NAME_CHARACTERS))
    name = text[start : found.end("noun")]
    secret = secrecy(name)
    return secret if secret is None or secret.strong else worded(text, start, name) or secret


def _spaced(secret: Secrecy, content: str, value: values.Value) -> bool:
    if not values.hideable(content, secret, quoted=value.quoted, stated=False):
        return False
    if value.quoted:
        return secret.strong and " " not in content and not shapes.identifier(content)
    return shapes.looks_random(content, 7) or (len(content) >= 32 and content.isalnum())

"""Secrets told in words: `the password is X`, `la contraseña es X`, `your code: 123456`, a recovery phrase."""

import re
from collections.abc import Iterable, Iterator

from neotoma.redaction import shapes, values
from neotoma.redaction.hints import NOUNS
from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import words

_NOUNS = frozenset(NOUNS)
_VAGUE = ("secret", "clave", "login", "credential")
_FOR = r"(?:[ ](?:for|of|on|de|del|para|f\u00fcr|von|pour|per|do|da)(?:[ ][\w.@\-/]{1,40}){1,4}?)"
_VERB = (
    r"[ ](?:is|was|are|becomes|still|es|era|est|\u00e9|\u00e8|ist|lautet|war|jest|to|now|as|like"
    r"|\u0442\u0430\u043a\u043e\u0439)(?=[ :])|'s(?=[ ])|[ ](?:-|\u2014|->)(?=[ ])|[ ]?[\u662f\u4e3a\u70ba\u306f\ub294]"
)
_FURTHER = r"(?:[ ](?:now|still|set to|changed to|reset to|simply|just|currently|ahora|jetzt|maintenant|this)(?=[ :]))"
_SAID = rf"{_FOR}?[\"'`*]{{0,3}}(?:{_VERB}){_FURTHER}{{0,2}}|{_FOR}[\"'`*]{{0,3}}[ ]?[:=]"
_STATED = re.compile(rf"s?(?:{_SAID})[ :]{{0,3}}")
# Names of several words are nobody else's: those of one word with a colon are assignments.
_STATED_WORDS = re.compile(rf"s?(?:{_SAID}|[ ]{{0,2}}[:=])[ :]{{0,3}}")
# One more word before the colon, as in `token used: X`, leaves more doubt.
_NOTED = re.compile(
    r"(?:token|secret|password|key)s?[ ](?!count|type|name|id|length|url|uri|file|path|hash|policy|usage|budget|limit)"
    r"[a-z]{2,12}[ ]?[:=][ ]{0,3}[\"'`]?(?P<secret>[^\s\"'`<>,;\ufffc]{12,256})"
)
_PAIR = re.compile(
    r"(?:cred(?:ential)?s?|log[ ]?in|account|user(?:name)?[ ]?[/:&+][ ]?pass(?:word)?|acceso|zugang)[ ]?[:=][ ]{0,3}"
    r"[\"'`]?[\w.@\-+]{1,64}[ ]?[/:|][ ]?(?P<secret>[^\s\"'`<>,;\ufffc]{5,128})"
)
_IS = r"(?:[ ]is|[ ]was|[ ]?[:=])"
_CODE = re.compile(
    r"(?:"
    rf"(?:otp|2fa|mfa|totp|one[ \-]time)(?:[ \-]?(?:code|pass(?:code|word)|pin|token))?(?:{_IS}[ ]{{0,2}}|[ ]{{1,2}})"
    rf"|(?:verification|sms|confirmation|security|login|access|auth|recovery)[ \-]code(?:{_IS}[ ]{{0,2}}|[ ]{{1,2}})"
    rf"|(?:backup|recovery)[ ]codes?{_IS}?[ ]{{1,2}}(?=[0-9])"
    rf"|(?:cvv|cvc|pin)[ \-]?(?:code)?{_IS}[ ]{{0,2}}|cvv2?[ ]|cvc2?[ ]"
    r")(?P<secret>[0-9]{3}[ \-][0-9]{3}|[0-9]{4}[ \-][0-9]{4}|[0-9]{3,8})(?![\w:%/\-]|\.[0-9])"
)
_PHRASE = re.compile(
    r"(?:(?:seed|recovery|mnemonic|wallet)(?:[ _\-]?(?:phrase|words|mnemonic|seed))?"
    r"|(?:backup|secret)[ _\-]?(?:phrase|words))"
    r"[\"']?(?:[ ]is)?[\s:=\"']{1,8}(?P<secret>(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})(?![a-z])"
)
# Words of ordinary sentences that recovery phrases are not made of.
_UNSAID = words("the and for with from are was were not but has had does which")
# Four words and more, which end the line.
_PASS_PHRASE = re.compile(
    r"pass[ ]?phrase(?:[ ]is|[\"']?[ ]?[:=])[ ]{0,3}(?P<secret>(?:[a-z]{3,10}[ \-]){3,11}[a-z]{3,10})"
    r"(?=[ .!]{0,2}(?:[\r\n\"'\\)}<]|\Z))"
)


@shown_by(*NOUNS)
def find(view: View) -> Iterator[Span]:
    done: dict[str, int] = {}
    for at, noun in view.words:
        if noun not in _NOUNS or at < done.get(noun, 0):
            continue
        stated = (_STATED_WORDS if " " in noun else _STATED).match(view.lower, at + len(noun))
        value = values.read(view.text, stated.end()) if stated else None
        if value and _telling(view.text, noun, value):
            done[noun] = values.whole(view.text, value).end
            yield Span(value.start, done[noun], "api_key" if "key" in noun else "password")


@shown_by("token", "secret", "pass", "key")
def find_noted(view: View) -> Iterator[Span]:
    """`token used: X`."""
    places = (at for at, word in view.words if word in ("token", "secret", "password", "key"))
    return _random(view, (_NOTED.match(view.lower, at) for at in places), 12)


@shown_by("cred", "login", "log in", "account", "pass", "acceso", "zugang")
def find_pairs(view: View) -> Iterator[Span]:
    """`login: admin / X`."""
    return _random(view, _PAIR.finditer(view.lower), 5)


def _random(view: View, matches: Iterable[re.Match[str] | None], least: int) -> Iterator[Span]:
    for found in matches:
        secret = view.text[slice(*found.span("secret"))].rstrip(".,:;)!?") if found else ""
        if found and shapes.looks_random(secret, least):
            yield Span(found.start("secret"), found.start("secret") + len(secret), "credential")


def _telling(text: str, noun: str, value: values.Value) -> bool:
    content = text[value.start : value.end]
    if shapes.placeholder(content) or values.expression(content) or shapes.path(content) or "://" in content:
        return False
    if value.quoted and noun not in _VAGUE and " " not in content and len(content) >= 4:
        return not shapes.identifier(content) and (not shapes.plain(content) or content.islower())
    return values.telling(content) and not (shapes.identifier(content) and len(content) < 24)


@shown_by("otp", "2fa", "mfa", "code", "one-time", "one time", "cvv", "cvc", "pin")
def find_codes(view: View) -> Iterator[Span]:
    """One-time codes and card codes."""
    for found in _CODE.finditer(view.lower):
        if not view.lower[found.start() - 1 : found.start()].isalnum():
            yield Span(*found.span("secret"), "one_time_code")


@shown_by("seed", "mnemonic", "covery", "wallet", "phrase", "backup", "secret")
def find_phrases(view: View) -> Iterator[Span]:
    """Recovery phrases of wallets."""
    for found in _PHRASE.finditer(view.lower):
        if _UNSAID.isdisjoint(found["secret"].split()):
            yield Span(*found.span("secret"), "recovery_phrase")
    for found in _PASS_PHRASE.finditer(view.lower):
        if not shapes.sentence(found["secret"]):
            yield Span(*found.span("secret"), "password")

"""Secrets told in words: `the password is X`, `la contraseña es X`, `your code: 123456`, a recovery phrase."""

import re
from collections.abc import Iterator
from functools import cache

from neotoma.redaction import shapes, values
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View

_NOUNS = (
    "password", "passphrase", "passcode", "passwd", "pwd", "secret", "token", "api key", "apikey", "access key",
    "secret key", "private key", "auth key", "license key", "credential", "login", "contrase\u00f1a", "contrasena",
    "clave", "clave de acceso", "clave de api", "mot de passe", "passwort", "kennwort", "senha", "palavra-passe",
    "wachtwoord", "has\u0142o", "parola", "l\u00f6senord",
    "\u043f\u0430\u0440\u043e\u043b\u044c",  # Russian
    "\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4",  # Chinese
    "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638",  # Japanese, Korean
)  # fmt: skip
_VAGUE = ("secret", "clave", "login", "credential")
_FOR = r"(?:[ ](?:for|of|on|de|del|para|f\u00fcr|von|pour|per|do|da)(?:[ ][\w.@\-/]{1,40}){1,4}?)"
_VERB = (
    r"[ ](?:is|was|are|becomes|still|es|era|est|\u00e9|\u00e8|ist|lautet|war|jest|to|now|as|like"
    r"|\u0442\u0430\u043a\u043e\u0439)(?=[ :])|[ ](?:-|\u2014|->)(?=[ ])|[ ]?[\u662f\u4e3a\u70ba\u306f\ub294]"
)
_FURTHER = r"(?:[ ](?:now|still|set to|changed to|reset to|simply|just|currently|ahora|jetzt|maintenant|this)(?=[ :]))"
_STATED = rf"s?(?:{_FOR}?[\"'`*]{{0,3}}(?:{_VERB}){_FURTHER}{{0,2}}|{_FOR}[\"'`*]{{0,3}}[ ]?[:=]|COLON)[ :]{{0,3}}"
# One more word before the colon, as in `token used: X`, leaves more doubt.
_NOTED = re.compile(
    r"(?:token|secret|password|key)s?[ ](?!count|type|name|id|length|url|uri|file|path|hash|policy|usage|budget|limit)"
    r"[a-z]{2,12}[ ]?[:=][ ]{0,3}[\"'`]?(?P<secret>[^\s\"'`<>,;\ufffc]{12,256})"
)
_PAIR = re.compile(
    r"(?:cred(?:ential)?s?|log[ ]?in|account|user(?:name)?[ ]?[/:&+][ ]?pass(?:word)?|acceso|zugang)[ ]?[:=][ ]{0,3}"
    r"[\"'`]?[\w.@\-+]{1,64}[ ]?[/:|][ ]?(?P<secret>[^\s\"'`<>,;\ufffc]{5,128})"
)
_LOOSE = (
    (("token", "secret", "password", "key"), _NOTED, 12),
    (("cred", "login", "log in", "account", "pass", "acceso", "zugang"), _PAIR, 5),
)
_IS = r"(?:[ ]is|[ ]was|[ ]?[:=])"
_CODE = re.compile(
    r"(?:"
    rf"(?:otp|2fa|mfa|totp|one[ \-]time)(?:[ \-]?(?:code|pass(?:code|word)|pin|token))?{_IS}?[ ]{{0,2}}"
    rf"|(?:verification|sms|confirmation|security|login|access|auth|recovery)[ \-]code{_IS}?[ ]{{0,2}}"
    rf"|(?:cvv|cvc|pin)[ \-]?(?:code)?{_IS}[ ]{{0,2}}|cvv2?[ ]|cvc2?[ ]"
    r")(?P<secret>[0-9]{3}[ \-][0-9]{3}|[0-9]{3,8})(?![\w:%/\-]|\.[0-9])"
)
_PHRASE = re.compile(
    r"(?:seed|recovery|mnemonic|backup|secret|wallet)[ _\-]?(?:phrase|words|mnemonic|seed)?[\"']?(?:[ ]is)?"
    r"[\s:=\"']{1,8}(?P<secret>(?:[a-z]{3,8}[ ]){11,23}[a-z]{3,8})(?![a-z])"
)


def find(view: View) -> Iterator[Span]:
    for noun in _NOUNS:
        if noun in view.lower:
            yield from _named(view, noun)
    for words, pattern, least in _LOOSE:
        for found in pattern.finditer(view.lower) if any(word in view.lower for word in words) else ():
            secret = view.text[slice(*found.span("secret"))].rstrip(".,:;)!?")
            if shapes.looks_random(secret, least):
                yield Span(found.start("secret"), found.start("secret") + len(secret), "credential")


@cache
def _pattern(noun: str) -> re.Pattern[str]:
    """Each noun has a pattern of its own, for the engine searches a literal beginning fast."""
    colon = r"[ ]{0,2}[:=]" if " " in noun else r"(?!)"
    return re.compile(re.escape(noun) + _STATED.replace("COLON", colon))


def _named(view: View, noun: str) -> Iterator[Span]:
    done = 0
    for stated in _pattern(noun).finditer(view.lower):
        value = values.read(view.text, stated.end()) if stated.start() >= done else None
        if value and _telling(view.text, noun, value):
            done = values.whole(view.text, value).end
            yield Span(value.start, done, "api_key" if "key" in noun else "password")


def _telling(text: str, noun: str, value: values.Value) -> bool:
    content = text[value.start : value.end]
    if shapes.placeholder(content) or values.expression(content) or shapes.path(content) or "://" in content:
        return False
    if value.quoted and noun not in _VAGUE and " " not in content and len(content) >= 4:
        return not shapes.identifier(content) and (not shapes.plain(content) or content.islower())
    return values.telling(content) and not (shapes.identifier(content) and len(content) < 24)


def find_codes(view: View) -> Iterator[Span]:
    """One-time codes and card codes; recovery phrases of wallets."""
    if any(word in view.lower for word in ("otp", "2fa", "mfa", "code", "one-time", "one time", "cvv", "cvc", "pin")):
        for found in _CODE.finditer(view.lower):
            if not view.lower[found.start() - 1 : found.start()].isalnum():
                yield Span(*found.span("secret"), "one_time_code")
    if any(word in view.lower for word in ("seed", "mnemonic", "recovery", "wallet", "phrase")):
        for found in _PHRASE.finditer(view.lower):
            yield Span(*found.span("secret"), "recovery_phrase")

"""Secrets in URLs: userinfo, query and fragment parameters, one-time links. Scheme, host, path and the rest stay."""

import re
from collections.abc import Iterator

from neotoma.redaction import shapes
from neotoma.redaction.names import secrecy
from neotoma.redaction.rules import LONG_WORD, shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import words

_USER = r"(?P<user>[^\s/?#:@\"'<>`\\|]{0,128}+)"
_HOST = r"(?=[\w.\-\[\]$(]{1,200}(?::[0-9]{1,5})?(?:[/?,;\s\"'\\)\]>#]|\Z|:))"
_USERINFO = re.compile(rf"://{_USER}:(?P<secret>[^\s/?#\"'<>`\\]{{1,256}})@")
# A raw slash, question mark or hash in the password; a port is no password.
_UNENCODED = re.compile(rf"://{_USER}:(?![0-9]{{1,5}}[/?#])(?P<secret>[^\s\"'<>`\\@:]{{1,128}}+)@{_HOST}")
_HEX = re.compile(r"[0-9a-f]{32}")
_ALONE = re.compile(r"://(?P<secret>[^\s/?#:@\"'<>`\\|]{16,256}+):?@")
_ORACLE = re.compile(
    r"(?i)(?:jdbc:oracle:\w{1,8}:|(?:sqlplus|impdp|expdp|sqlldr)[ ](?:-\w{1,4}[ ]){0,4})"
    r"[\w.$#]{1,64}/(?P<secret>[^\s@/\"']{1,128})@"
)
_DEFAULTS = frozenset(
    ("guest", "postgres", "root", "admin", "user", "test", "rabbitmq", "minioadmin", "minio", "mysql", "app_user")
)
# GitHub takes a token as the user, and this for want of a password.
_NO_PASSWORDS = ("x-oauth-basic",)
_PARAMETER = re.compile(r"[?&#;](?P<name>[\w.\-\[\]%$]{1,80}+)=(?P<value>[^\s&#\"'<>;\\`|\ufffc]{1,2048}+)")
_SECRET_PARAMETERS = re.compile(
    r"(?i)x-(?:amz|goog|oss|cos)-(?:signature|credential|security-token)|sig|signature|jwt|hdnts|hmac"
)
_LINK_WORDS = words("token reset invit magic verify confirm activate unsubscribe share login recover")
_LINK = re.compile(
    r"/[\w\-]{0,20}(?:" + "|".join(sorted(_LINK_WORDS)) + r")[\w\-]{0,20}/(?P<secret>[A-Za-z0-9_\-]{20,256}+)",
    re.IGNORECASE,
)


@shown_by("@")
def find_userinfo(view: View) -> Iterator[Span]:
    """The password of `scheme://user:password@host`; a lone user name only where it is itself a token."""
    text = view.text
    if "://" in text:
        for pattern in (_USERINFO, _UNENCODED):
            for found in pattern.finditer(text):
                yield from _password(found)
        for found in _ALONE.finditer(text):
            if shapes.looks_random(found["secret"]) or _HEX.fullmatch(found["secret"]):
                yield Span(*found.span("secret"), "credential")
    if any(tool in view.lower for tool in ("oracle", "sqlplus", "impdp", "expdp", "sqlldr")):
        for found in _ORACLE.finditer(text):
            if not shapes.placeholder(found["secret"]):
                yield Span(*found.span("secret"), "url_password")


def _password(found: re.Match[str]) -> Iterator[Span]:
    user, secret = found["user"], found["secret"]
    if shapes.looks_random(user, 20) or _HEX.fullmatch(user):
        yield Span(*found.span("user"), "credential")
    if shapes.placeholder(secret) or secret in _NO_PASSWORDS or (secret == user and user in _DEFAULTS):
        return
    yield Span(*found.span("secret"), "url_password")


@shown_by("=")
def find_parameters(view: View) -> Iterator[Span]:
    """Values of query and fragment parameters whose name announces a secret."""
    for found in _PARAMETER.finditer(view.text):
        value = found["value"].rstrip(".,:)]}!")
        if value and _is_secret(found["name"], value):
            yield Span(found.start("value"), found.start("value") + len(value), "url_token")


def _is_secret(name: str, value: str) -> bool:
    if _SECRET_PARAMETERS.fullmatch(name):
        return len(value) >= 12 and not shapes.placeholder(value)
    secret = secrecy(name)
    if secret is None or shapes.placeholder(value) or shapes.path(value):
        return False
    if value.isdecimal() and (not secret.strong or len(value) < 6):
        return False
    return secret.strong or shapes.looks_random(value, 12)


@shown_by(LONG_WORD)
def find_links(view: View) -> Iterator[Span]:
    """The secret part of links that act for whoever holds them, such as a password reset."""
    for word in view.long_words:
        for found in _LINK.finditer(view.text, word.start, word.end) if word.text.count("/") >= 2 else ():
            if shapes.looks_random(found["secret"], 20):
                yield Span(*found.span("secret"), "url_token")

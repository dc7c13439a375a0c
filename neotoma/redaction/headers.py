"""Credentials in HTTP headers: Authorization in all schemes, Cookie and Set-Cookie."""

import base64
import binascii
import re
from collections.abc import Iterator

from neotoma.redaction import shapes
from neotoma.redaction.names import secrecy
from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import words

_SEPARATOR = r"\\{0,7}[\"'`]?\]?[ \t]{0,8}(?:=>|[:=,])[ \t]{0,8}(?:\[[ \t]{0,4})?(?:[bfruBFRU]?\\{0,7}[\"'`])?"
_AUTHORIZATION = re.compile(rf"authorization{_SEPARATOR}(?P<value>[^\"'`\r\n\\]{{1,2048}})")
_PARTS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9_\-]{1,24})[ \t]{1,4}(?P<rest>\S.{0,2040})|(?P<only>\S{1,2048})")
_MANY = ("digest", "oauth", "hawk", "mac", "signature", "snowflake")
_ONE = words(
    """bearer basic token apikey api-key api_key key negotiate ntlm ssws splunk bot jwt dpop sharedkey sharedkeylite aws
    genie-key geniekey klaviyo-api-key pve-api-token pveapitoken goog1 user client-id x-api-key sso-key bce-auth-v1 tc3
    access_token privatetoken guest githubapp kerberos deepl-auth-key discogs ghost endpointkey"""
)
_PARAMETER = re.compile(
    r"(?i)(?:response|nonce|cnonce|signature|oauth_\w{1,24}|token|mac|id|credential|username|secret|key)[ ]?=[ ]?"
    r"\\{0,3}\"?(?P<secret>[^\",\s\\;\ufffc]{4,1024})"
)
_SCHEME = re.compile(
    r"(?P<scheme>bearer|basic|ssws|dpop)(?:[ \t]{1,4}|%20|\+|[:=][ ]?)"
    r"(?P<cred>[a-z0-9._~+/\-]{6,2048}+={0,3})"
)
_SASL = re.compile(
    r"(?<![\w\-])AUTH(?:ENTICATE)?[ ](?:PLAIN|LOGIN|XOAUTH2|CRAM-MD5|SCRAM-SHA-(?:1|256))[ ]"
    r"(?P<secret>[A-Za-z0-9+/]{8,1024}={0,2})"
)
_AUTH = re.compile(r"(?<![\w\-])AUTH[ ](?:[\w\-]{1,32}[ ])?[\"']?(?P<secret>[^\s\"']{8,256})")
_AUTH_CALL = re.compile(
    r"(?<![\w\-])auth\(\\{0,7}[\"'][^\"'\n]{1,64}[\"'],[ ]?\\{0,7}[\"'](?P<secret>[^\"'\\\n]{4,256})\\{0,7}[\"']"
)
_COOKIE = re.compile(rf"cookie(?:s|[0-9])?{_SEPARATOR}(?P<value>[^\"'`\r\n\\]{{1,4096}})")
_COOKIE_FLAG = re.compile(r"-(?:(?<![\w\-]-)b|-cookie)[ =]{1,3}[\"']?(?P<value>[\w.\-]{1,64}=[^\"'\r\n]{1,2048})")
_CRUMB = re.compile(r"(?P<name>[\w.\-$%]{1,80})=(?P<value>[^\s;,\"'\\\ufffc]{1,2048})")
_ATTRIBUTES = frozenset(
    ("path", "domain", "expires", "max-age", "samesite", "priority", "version", "secure", "httponly", "partitioned")
)


@shown_by("authorization")
def find_authorization(view: View) -> Iterator[Span]:
    """The credentials of an Authorization header; its scheme stays."""
    for found in _AUTHORIZATION.finditer(view.lower):
        parts = _PARTS.match(view.text, found.start("value"), found.end("value"))
        if parts:
            yield from _credentials(view.text, parts)


def _credentials(text: str, parts: re.Match[str]) -> Iterator[Span]:
    scheme = (parts["scheme"] or "").lower()
    if scheme in _MANY or scheme.startswith(("aws4", "goog4", "acs3", "tc3", "hmac")):
        end = text.find("\n", parts.end())
        for found in _PARAMETER.finditer(
            text, parts.start("rest"), end if 0 <= end < parts.end() + 2048 else parts.end() + 2048
        ):
            if not shapes.placeholder(found["secret"]):
                yield Span(*found.span("secret"), "authorization")
        return
    group = "rest" if scheme else "only"
    cred = parts[group].split()[0].split("</")[0].rstrip(",;.)]}!?")
    if scheme and scheme not in _ONE and not shapes.looks_random(cred, 12):
        return
    if not scheme and not shapes.looks_random(cred, 8):
        return
    if not shapes.placeholder(cred) and not (scheme and shapes.plain(cred) and len(cred) < 16 and scheme != "basic"):
        yield Span(parts.start(group), parts.start(group) + len(cred), "authorization")


@shown_by("auth")
def find_commands(view: View) -> Iterator[Span]:
    """`AUTH PLAIN X` of mail servers, `AUTH X` of Redis, `auth("user", "X")`."""
    for at in [at for at, word in view.words if word == "auth"]:
        found = _SASL.match(view.text, at) or _AUTH.match(view.text, at) or _AUTH_CALL.match(view.text, at)
        if found is None or shapes.placeholder(found["secret"]):
            continue
        if found.re is not _AUTH or shapes.looks_random(found["secret"], 8):
            yield Span(*found.span("secret"), "authorization")


@shown_by("bearer", "basic", "ssws", "pop")
def find_schemes(view: View) -> Iterator[Span]:
    """`Bearer X` and `Basic X` without the header's name before them."""
    for found in _SCHEME.finditer(view.lower):
        if view.lower[found.start() - 1 : found.start()].isalnum():
            continue
        cred = view.text[slice(*found.span("cred"))].rstrip(".")
        if found["scheme"] == "basic":
            hide = _is_pair(cred)
        else:
            hide = shapes.looks_random(cred, 10) or (len(cred) >= 24 and cred.isalnum() and not shapes.plain(cred))
        if hide and not shapes.placeholder(cred):
            yield Span(found.start("cred"), found.start("cred") + len(cred), "authorization")


def _is_pair(encoded: str) -> bool:
    """Whether this is base64 of printable `user:password`."""
    try:
        plain = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except binascii.Error:
        return False
    return b":" in plain and all(byte >= 32 for byte in plain)


@shown_by("cookie", "-b")
def find_cookies(view: View) -> Iterator[Span]:
    """The values of cookies that carry a session or another secret; names and attributes stay."""
    for pattern, hint in ((_COOKIE, "cookie"), (_COOKIE_FLAG, "-b "), (_COOKIE_FLAG, "--cookie")):
        for header in pattern.finditer(view.lower) if hint in view.lower else ():
            for crumb in _CRUMB.finditer(view.text, *header.span("value")):
                if _is_secret_crumb(crumb["name"], crumb["value"]):
                    yield Span(*crumb.span("value"), "cookie")


def _is_secret_crumb(name: str, value: str) -> bool:
    if name.lower() in _ATTRIBUTES or shapes.placeholder(value):
        return False
    named = secrecy(name)
    if named is not None:
        return len(value) >= 4 and not (value.isdecimal() and len(value) < 6)
    return shapes.looks_random(value, 12) or (len(value) >= 24 and not shapes.plain(value))

"""E-mail addresses, plain, with spaces, or as `name (at) host (dot) tld`. Domains reserved for documentation stay."""

import re
from collections.abc import Iterator

from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import words

_LOCAL = r"(?<![\w.+\-])(?P<local>[^\W_][\w.+\-]{0,254}+|_[\w.+\-]{1,254}+)"
_ADDRESS = re.compile(
    rf"{_LOCAL}@(?P<domain>(?:[^\W_][\w\-]{{0,62}}\.){{1,8}}(?:[^\W\d_]{{2,24}}|xn--[a-z0-9\-]{{2,59}}))(?![^\W_])"
)
_AT = r"(?:[ ]{0,2}[\[({<][ ]?(?:at|arroba|@)[ ]?[\])}>][ ]{0,2}|[ ]AT[ ])"
_AT_SIGN = re.compile(r"(?i:arroba|[\[({<][ ]?(?:at|arroba|@)[ ]?[\])}>])")
_DOT = r"(?:\.|[ ]{0,2}[\[({<][ ]?(?:dot|punto|point|\.)[ ]?[\])}>][ ]{0,2}|[ ]DOT[ ]|[ ]dot[ ])"
_SPELLED = re.compile(
    rf"{_LOCAL}(?:{_DOT}[\w\-]{{1,63}}){{0,3}}{_AT}"
    rf"(?P<domain>(?:[^\W_][\w\-]{{0,62}}{_DOT}){{1,6}}[^\W\d_]{{2,24}})(?![^\W_])"
)
_SPELLED_AT = ("(at", "[at", "{at", "<at", "( at", "[ at", "(@", "[@", "{@", "<@", "arroba")
_USUAL = (
    r"(?:com|org|net|edu|gov|info|biz|io|dev|app|ai|me|eu|uk|de|es|fr|it|nl|be|ch|at|pt|pl|se|no|dk|fi|ie|cz|gr|ru|cn|jp|in"
    r"|br|mx|ar|cl|ca|us|au|nz|co|cat|email|online|tech|xyz)"
)
# In lower case only before a domain of the usual kinds: "look at point dot product".
_WORDED = re.compile(rf"{_LOCAL}[ ]at[ ](?P<domain>(?:[^\W_][\w\-]{{0,62}}[ ]dot[ ]){{1,3}}{_USUAL})(?![^\W_]|[ ]dot)")
# A product of matrices goes on with a call or an index where a domain ends; prices and versions begin with a digit.
_SPACED = re.compile(
    r"(?<![\w.+\-])(?P<local>[^\W\d_][\w.+\-]{0,254}+)[ ]{1,2}@[ ]{1,2}"
    rf"(?P<domain>(?:[^\W_][\w\-]{{0,62}}\.){{1,8}}{_USUAL})(?![^\W_]|[.\-][^\W_]|[(\[/:@])"
)
_BETWEEN = re.compile(r"[ ](?:dot|DOT)[ ]|[^\w\-]{1,8}(?:dot|punto|point|DOT)?[^\w\-]{0,8}")
_RESERVED = re.compile(r"(?:.{0,256}\.)?(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)")
# Endings that name a file or a unit after the at sign, such as icon@2x.png or user@1000.service.
_FILES = words(
    """png jpg jpeg gif svg webp ico js mjs cjs ts tsx jsx css scss json html htm txt lock toml yaml yml xml log so dll
    exe service socket timer target mount slice scope tgz tar gz zip whl map md rst java class jar kt cs cpp"""
)
_AUTHORITY = re.compile(r"://[^\s/@?#]{0,150}$")
_REMOTES = frozenset(("git", "hg", "svn", "gitea", "aur"))


@shown_by("@")
def find(view: View) -> Iterator[Span]:
    for found in _ADDRESS.finditer(view.text):
        if _is_address(view.text, found):
            yield Span(*found.span(), "email")


@shown_by(" at ", *_SPELLED_AT)
def find_spelled(view: View) -> Iterator[Span]:
    text = view.text
    spelled = " AT " in text or any(word in _SPELLED_AT and _AT_SIGN.match(text, at) for at, word in view.words)
    for pattern, shown in ((_SPELLED, spelled), (_WORDED, " at " in text and " dot " in text)):
        for found in pattern.finditer(text) if shown else ():
            if _RESERVED.fullmatch(_BETWEEN.sub(".", found["domain"]).lower()) is None:
                yield Span(*found.span(), "email")


@shown_by(" @ ")
def find_spaced(view: View) -> Iterator[Span]:
    """`name @ host.tld`."""
    for found in _SPACED.finditer(view.text):
        if _is_address(view.text, found):
            yield Span(*found.span(), "email")


def _is_address(text: str, found: re.Match[str]) -> bool:
    domain = found["domain"].lower()
    if _RESERVED.fullmatch(domain) or domain.rpartition(".")[2] in _FILES:
        return False
    if found["local"] in _REMOTES:
        return False
    # What stands before the host of a URL is no mailbox; one after mailto: has no slashes.
    return _AUTHORITY.search(text, max(0, found.start() - 160), found.start()) is None

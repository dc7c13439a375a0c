"""Network addresses that can be routed to. Private, loopback, link-local, documentation ranges and versions stay."""

import ipaddress
import re
import string
from collections.abc import Iterator

from neotoma.redaction.rules import NUMBER, shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import words

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_V4 = re.compile(rf"(?<![\w.\-]){_OCTET}(?:(?:\.|\[\.\]){_OCTET}){{3}}(?![\w]|\.[0-9]|-[A-Za-z0-9]|\+[A-Za-z0-9])")
# A host named after its address: ip-81-2-69-160, ec2-81-2-69-160.
_V4_HOST = re.compile(rf"(?<=[A-Za-z0-9]-){_OCTET}(?:-{_OCTET}){{3}}(?![\w\-])")
_V6 = re.compile(
    r"(?<![\w:.])(?P<address>[0-9A-Fa-f:]{2,40}+(?:(?<=:)(?:[0-9]{1,3}\.){3}[0-9]{1,3})?+)"
    r"(?P<zone>%[\w.\-]{1,16})?(?!\w)"
)
# How all begin that can be routed to, or hold an IPv4 address that can.
_V6_BEGIN = re.compile(r"[23][0-9A-Fa-f]{3}:|64:[fF]{2}9[bB]:|[0:]{2,21}[fF]{4}:")
_HOST_BEGIN = re.compile(r"(?<![A-Za-z0-9])(?i:ip|ec2|host|static|dynamic|dsl|cpe|pool|client|node|vps|srv)-$")
_V6_HINT = re.compile(r":[0-9A-Fa-f]{0,4}:")
_VERSIONED = words(
    """v ver version versions release rev revision build firmware fw hw sw bios uefi driver kernel chrome
    chromium firefox edge safari
    opera electron sdk plugin package assembly assemblyversion fileversion productversion tag upgrade upgraded update
    updated
    downgrade downgraded bump bumped agent app oid section clause chapter neotoma requires installed"""
)
_WORD = re.compile(r"[a-z]{1,20}")
_PORT = re.compile(r":[0-9]")
_DOCUMENTATION = ipaddress.IPv6Network("3fff::/20")
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@shown_by(NUMBER)
def find_v4(view: View) -> Iterator[Span]:
    text = view.text
    for start, end, number in view.numbers:
        for found in _V4.finditer(text, start, end) if number.count(".") >= 3 else ():
            if _routable(found[0].replace("[.]", ".")) and not _is_version(text, found):
                yield Span(*found.span(), "ip_address")
        for found in _V4_HOST.finditer(text, start, end) if number.count("-") >= 3 else ():
            named = _HOST_BEGIN.search(text, max(0, found.start() - 12), found.start())
            if named and _routable(found[0].replace("-", ".")):
                yield Span(*found.span(), "ip_address")


@shown_by(":")
def find_v6(view: View) -> Iterator[Span]:
    text = view.text
    for start, end in _colons(text) if "::" in text or text.count(":") > 6 else ():
        for found in _V6.finditer(text, start, end):
            address = found["address"]
            if not found["zone"] and address.endswith(":") and not address.endswith("::"):
                address = address[:-1]
            if _V6_BEGIN.match(address) and address.count(":") >= 2 and _routable(address):
                start, end = found.start(), found.end() if found["zone"] else found.start() + len(address)
                bracketed = text[start - 1 : start] == "[" and text[end : end + 1] == "]"
                # In a URL the brackets belong to the address: nothing else may stand in them.
                around = bracketed and text[max(0, start - 4) : start - 1].endswith(("://", "@"))
                yield Span(start - around, end + around, "ip_address")


def _colons(text: str) -> Iterator[tuple[int, int]]:
    """Stretches around two colons with at most a group of hex digits between: room for an address and its zone."""
    done = 0
    for hint in _V6_HINT.finditer(text):
        if hint.start() >= done:
            start, done = max(done, hint.start() - 42), hint.end() + 80
            yield start, done


def _is_version(text: str, found: re.Match[str]) -> bool:
    """Four numbers behind `==`, `Chrome/` or a word such as `version` are no address, unless a port follows."""
    if _PORT.match(text, found.end()):
        return False
    before = text[max(0, found.start() - 40) : found.start()].lower().rstrip(" \t")
    tag = before.endswith(">") and before.rfind("<") > before.rfind(">", 0, -1)
    if (before[-1:] in ("~", "^", "<", ">") and not tag) or before.endswith(("==", ">=", "<=", "~=", "!=")):
        return True
    if before[-1:] == "/" and before[-2:-1].isalpha():
        return True
    before = before.rstrip(" \t:=#\"'(")
    last = before[len(before.rstrip(string.ascii_lowercase)) :]
    if last in ("to", "from", "and", "is"):
        return not _VERSIONED.isdisjoint(_WORD.findall(before))
    return last in _VERSIONED


def _routable(written: str) -> bool:
    try:
        address = ipaddress.ip_address(written)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast and not address.is_reserved
    embedded = _embedded(address)
    if embedded is not None:
        return _routable(str(embedded))
    return address in _GLOBAL_UNICAST and address not in _DOCUMENTATION and address.is_global


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address inside a mapped, 6to4, Teredo or NAT64 one: what is really reached."""
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)

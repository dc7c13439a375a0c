"""Where a webhook may go: URLs are read strictly, and only addresses known to be public are allowed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal, NoReturn

from neotoma.substrate.errors import Refusal

Reason = Literal["malformed", "scheme", "credentials", "host", "port", "address"]

_MESSAGES: dict[Reason, str] = {
    "malformed": "The webhook URL is not a plain absolute URL in ASCII.",
    "scheme": "A webhook URL starts with https://.",
    "credentials": "A webhook URL carries no user name or password.",
    "host": "The host of the webhook URL is not a full public name or a plainly written address.",
    "port": "A webhook goes to port 80, 443, or one from 1024 up.",
    "address": "The webhook URL leads to an address that is not on the public internet.",
}
_MAX_URL = 2048  # characters
_CHARACTERS = re.compile(r"(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=\[\]]|%[0-9A-Fa-f]{2})+")  # no fragment: it is never sent
_SHAPE = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?]*)(?P<rest>.*)")
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::(?P<port>[1-9][0-9]{0,4}))?")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})+")
# What resolvers and browsers take for an IPv4 number: 127.1, 2130706433, 0x7f.1, 0177.0.0.1
_ENDS_IN_NUMBER = re.compile(r"(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$")
_INNER_NAMES = (".localhost", ".localdomain", ".local", ".internal", ".home.arpa")
_DEFAULT_PORTS = {"http": 80, "https": 443}

# Written out, because what `ipaddress` calls global differs between releases of Python and has held all of these.
_NOT_PUBLIC_V4 = [
    ip_network(block)
    for block in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        "168.63.129.16/32",  # a cloud's metadata service at an address that looks public
    )
]
# All of the public IPv6 internet. Outside lie loopback, link-local, unique local and multicast, and the ranges that
# carry an IPv4 address: mapped, compatible and NAT64. Those are refused whole, whatever they carry.
_PUBLIC_V6 = ip_network("2000::/3")
_NOT_PUBLIC_V6 = [
    ip_network(block)
    for block in (
        "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
]
_LOOPBACK_V4 = ip_network("127.0.0.0/8")


class ForbiddenTarget(Refusal):
    """The URL, or an address behind it, is no place to send to; `details.reason` is one of `Reason`."""

    error_code = "WEBHOOK_TARGET_FORBIDDEN"
    status = 422
    hint = "Give an https URL whose host resolves to public addresses only."

    def __init__(self, reason: Reason) -> None:
        super().__init__(_MESSAGES[reason], details={"reason": reason})
        self.reason: Reason = reason


@dataclass(frozen=True, slots=True)
class Target:
    """A checked URL. `host` is a lower-case name or a bare address; `local` means loopback, and loopback only."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    path: str  # with the query
    local: bool


def check_url(url: str, *, allow_local: bool) -> Target:
    """The parts of a URL that a webhook may go to; raises ForbiddenTarget. A name's addresses are still to check."""
    shape = _SHAPE.fullmatch(url) if len(url) <= _MAX_URL and _CHARACTERS.fullmatch(url) else None
    if shape is None:
        _refuse("malformed")
    scheme = _scheme(shape["scheme"].lower())
    if "@" in shape["authority"]:
        _refuse("credentials")
    authority = _AUTHORITY.fullmatch(shape["authority"])
    if authority is None:
        _refuse("host")
    host = _host(authority["host"].lower())
    local = allow_local and is_local(host)
    if host == "localhost" and not local:
        _refuse("address")
    if _is_literal(host):
        check_address(host, local=local)
    if scheme == "http" and not local:
        _refuse("scheme")
    rest = shape["rest"]
    port = _port(int(authority["port"] or _DEFAULT_PORTS[scheme]))
    return Target(scheme, host, port, rest if rest.startswith("/") else "/" + rest, local)


def check_address(ip: str, *, local: bool = False) -> None:
    """Raise ForbiddenTarget unless the address is public; for a `local` target, unless it is loopback."""
    try:
        address = ip_address(ip)
    except ValueError:
        _refuse("address")
    if not (_is_loopback(address) if local else _is_public(address)):
        _refuse("address")


def is_local(host: str) -> bool:
    """Whether a checked host means this machine: `localhost`, 127.0.0.0/8 or ::1."""
    return host == "localhost" or (_is_literal(host) and _is_loopback(ip_address(host)))


def _scheme(scheme: str) -> Literal["http", "https"]:
    if scheme == "https":
        return "https"
    if scheme == "http":
        return "http"
    _refuse("scheme")


def _host(host: str) -> str:
    """The canonical host: names as they are, IPv6 without brackets; odd spellings of addresses are refused."""
    if host.startswith("["):
        return _canonical(IPv6Address, host[1:-1])
    if _ENDS_IN_NUMBER.search(host):
        return _canonical(IPv4Address, host)
    if host != "localhost" and (not _NAME.fullmatch(host) or host.endswith(_INNER_NAMES)):
        _refuse("host")
    return host


def _canonical(kind: type[IPv4Address] | type[IPv6Address], text: str) -> str:
    try:
        return str(kind(text))
    except ValueError:
        _refuse("host")


def _port(port: int) -> int:
    if port not in (80, 443) and not 1024 <= port <= 65535:
        _refuse("port")
    return port


def _is_literal(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdigit()


def _is_loopback(address: IPv4Address | IPv6Address) -> bool:
    return address == IPv6Address("::1") or address in _LOOPBACK_V4


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _NOT_PUBLIC_V4)
    # A zone names a link of this machine; no public address has one.
    public = address in _PUBLIC_V6 and address.scope_id is None
    return public and not any(address in block for block in _NOT_PUBLIC_V6)


def _refuse(reason: Reason) -> NoReturn:
    raise ForbiddenTarget(reason)

"""Where a request comes from, coarse enough to count by."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest


def remote_address(request: HttpRequest) -> str:
    """The caller's address; an IPv6 one by its /64, which one subscriber owns whole.

    Behind a proxy that we trust, the last entry of X-Forwarded-For is the one that it wrote itself.
    """
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.NEOTOMA_BEHIND_PROXY else ""
    return coarse(forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", ""))


def coarse(text: str) -> str:
    """An IPv4 address as it is, an IPv6 one as its /64 network, anything else as one unknown caller."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped) if mapped else str(ipaddress.ip_network((address.packed, 64), strict=False))
    return str(address)

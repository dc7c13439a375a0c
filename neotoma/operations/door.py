"""The way in: a credential is recognised, or its refusal is counted and written down."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from neotoma.access import limits
from neotoma.access.authenticate import Unauthenticated, from_header
from neotoma.access.principals import Principal
from neotoma.operations.audit import record_stranger
from neotoma.operations.context import Surface


def admit(authorization: str | None, *, surface: Surface, request_id: str, address: str) -> Principal:
    """The principal of an `Authorization` header.

    Refuses a credential that does not count, with an audit row for the reason; an address that keeps trying is told to
    wait, which also bounds the rows.
    """
    try:
        return from_header(authorization)
    except Unauthenticated as refusal:
        count_refusal(address)
        record_stranger(surface, request_id, refusal, timezone.now())
        raise


def count_refusal(address: str) -> None:
    """Count a refusal of somebody without a name; who keeps trying gets `TooMany`. Bounds the audit's growth."""
    limit, now_s = settings.NEOTOMA_REFUSALS_PER_HOUR, timezone.now().timestamp()
    limits.take(f"refused:{address}", limit=limit, window_s=3600, now_s=now_s)

"""Guest grants: read and answer exactly one thread."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from neotoma.access import tokens
from neotoma.access.authenticate import server_key
from neotoma.access.models import GuestToken
from neotoma.substrate import rows


def open_grant(thread_id: str, issued_to: str, now: datetime) -> tuple[str, GuestToken]:
    """A new grant and its token; only the digest is stored."""
    nonce = tokens.new_nonce()
    token = tokens.guest_token(server_key(), nonce)
    grant = GuestToken(
        nonce=nonce,
        digest=tokens.digest(token),
        thread_id=thread_id,
        issued_to=issued_to,
        expires_at=now + timedelta(days=settings.NEOTOMA_GUEST_TTL_DAYS),
        created_at=now,
    )
    rows.insert([grant])
    return token, grant


def token_again(thread_id: str, issued_to: str) -> str | None:
    """The token of the first live grant on a thread, made again from its nonce; None when it was revoked."""
    grant = GuestToken.objects.filter(thread_id=thread_id, issued_to=issued_to, revoked_at=None).order_by("pk").first()
    return tokens.guest_token(server_key(), grant.nonce) if grant is not None else None


def extend_grants(thread_ids: list[str], now: datetime) -> int:
    """Move the end of live grants on threads that are still open; answers how many."""
    until = now + timedelta(days=settings.NEOTOMA_GUEST_TTL_DAYS)
    live = GuestToken.objects.filter(thread_id__in=thread_ids, revoked_at=None, expires_at__gt=now)
    return live.filter(expires_at__lt=until - timedelta(days=1)).update(expires_at=until)

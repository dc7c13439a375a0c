"""How credentials end."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from neotoma.access.models import ApiToken, GuestToken
from neotoma.adminsite.pages import Page


def state_of(row: ApiToken | GuestToken) -> str:
    """live, expired or revoked."""
    if row.revoked_at is not None:
        return "revoked"
    return "expired" if row.expires_at is not None and row.expires_at <= timezone.now() else "live"


def revoke(page: Page, request: HttpRequest, rows: QuerySet[Any], action: str, **details: Any) -> None:
    """End a credential, once, and say so in the audit."""
    with transaction.atomic():
        if rows.filter(revoked_at=None).update(revoked_at=timezone.now()):
            page.desk.note(request, action, **details)

"""The identities of a new instance: an admin, an operator token, a reporter token."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction

from neotoma.access import tokens
from neotoma.access.models import Agent, ApiToken

ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class InstanceCredentials:
    """What `instance.json` holds beside the addresses. In clear, for the one who started the instance."""

    operator_token: str
    reporter_token: str
    admin_user: str
    admin_password: str


@transaction.atomic
def ensure_instance(known: Mapping[str, str]) -> InstanceCredentials:
    """Credentials that work: the `known` ones where they still do, new ones where not."""
    user_model = get_user_model()
    admin = user_model.objects.filter(username=ADMIN).first()
    password = known.get("admin_password", "")
    if admin is None:
        password = password or secrets.token_urlsafe(12)
        admin = user_model.objects.create_superuser(username=ADMIN, password=password)
    elif not password:
        password = secrets.token_urlsafe(12)
        admin.set_password(password)
        admin.save(update_fields=["password"])
    reporter, _ = Agent.objects.get_or_create(name="reporter", defaults={"kind": "agent"})
    return InstanceCredentials(
        operator_token=_working(known.get("operator_token", "")) or mint(user=admin, scopes=["operate"]),
        reporter_token=_working(known.get("reporter_token", "")) or mint(agent=reporter, scopes=["report"]),
        admin_user=ADMIN,
        admin_password=password,
    )


def mint(
    *, scopes: list[str], agent: Agent | None = None, user: User | None = None, expires_at: datetime | None = None
) -> str:
    """A new API token, answered once in clear; only its digest is stored."""
    token = tokens.new_api_token()
    ApiToken.objects.create(
        agent=agent, user=user, digest=tokens.digest(token), hint=token[:8], scopes=scopes, expires_at=expires_at
    )
    return token


def _working(token: str) -> str:
    live = token and ApiToken.objects.filter(digest=tokens.digest(token), revoked_at=None).exists()
    return token if live else ""

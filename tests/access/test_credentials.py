"""Many credentials at once mean what each means alone."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from neotoma.access import bootstrap
from neotoma.access.authenticate import Unauthenticated, from_api_token, from_credential, from_credentials
from neotoma.access.models import Agent, ApiToken, GuestToken
from neotoma.submissions.grant import open_grant
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.store import open_write

pytestmark = pytest.mark.django_db


def test_many_at_once_are_what_each_is_alone() -> None:
    with open_write(SYSTEM, timezone.now()) as write:
        thread = write.put([Draft("report", {"title": "a"})])[0].entity.pk
    staff, gone = User.objects.create_superuser("root"), User.objects.create_user("left", is_staff=False)
    tokens = [
        bootstrap.mint(agent=Agent.objects.create(name="ant"), scopes=["report"]),
        bootstrap.mint(user=staff, scopes=["operate"]),
        bootstrap.mint(agent=Agent.objects.create(name="bee"), scopes=["read"]),
    ]
    live = [from_api_token(token).credential for token in tokens]
    ApiToken.objects.filter(pk=live[2].removeprefix("token:")).update(revoked_at=timezone.now())
    grants = [open_grant(thread, "anonymous", timezone.now())[1] for _ in range(2)]
    GuestToken.objects.filter(pk=grants[1].pk).update(expires_at=timezone.now())
    names = [*live, *(f"guest:{grant.pk}" for grant in grants), f"user:{staff.pk}", f"user:{gone.pk}"]
    names += ["daemon:formica", "token:999999", "guest:999999", "user:999999", ""]
    alone = {}
    for name in names:
        try:
            alone[name] = from_credential(name)
        except Unauthenticated:
            continue
    assert from_credentials(names) == alone
    assert sorted(alone) == sorted([live[0], live[1], f"guest:{grants[0].pk}", f"user:{staff.pk}", "daemon:formica"])

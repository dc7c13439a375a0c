"""Credentials: minted once in sight, revoked at once, always with a line in the audit."""

from __future__ import annotations

import re

import pytest

from neotoma.access.authenticate import GuestTokenRevoked, TokenRevoked, from_api_token, from_guest_token
from neotoma.access.models import Agent, ApiToken, GuestToken
from neotoma.access.tokens import digest
from neotoma.operations.models import AuditEntry
from tests.admin.conftest import Staff
from tests.support.callers import filed, reporter

ADD = "/admin/access/apitoken/add/"


def minted(boss: Staff, **data: object) -> str:
    response = boss.client.post(ADD, data)
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    found = re.search(r"ntk_[\w-]{43}", response.content.decode())
    assert found is not None
    return found.group()


def test_a_token_is_shown_once_and_works(boss: Staff) -> None:
    agent = Agent.objects.create(name="ant")
    token = minted(boss, agent=agent.pk, scopes=["read", "write"])
    assert from_api_token(token).scopes == {"read", "write"}
    row = ApiToken.objects.get()
    assert row.digest == digest(token)
    for path in ("access/apitoken/", f"access/apitoken/{row.pk}/change/", "", "operations/auditentry/"):
        assert token not in boss.page(path)
    entry = AuditEntry.objects.get(operation="mint_api_token")
    assert entry.details == {"token": row.pk, "scopes": ["read", "write"]}


def test_a_token_of_a_user_reaches_no_further_than_the_user(boss: Staff, clerk: Staff) -> None:
    token = minted(boss, user=clerk.user.pk, scopes=["operate"])
    assert from_api_token(token).scopes == set()


@pytest.mark.parametrize("owners", [[], ["agent", "user"]])
def test_a_token_has_exactly_one_owner(boss: Staff, owners: list[str]) -> None:
    ids = {"agent": Agent.objects.create(name="ant").pk, "user": boss.user.pk}
    data = {"scopes": ["read"], **{owner: ids[owner] for owner in owners}}
    assert "one of the two" in boss.client.post(ADD, data).content.decode()
    assert not ApiToken.objects.exists()


def test_a_revoked_token_is_refused_at_once(boss: Staff) -> None:
    token = minted(boss, agent=Agent.objects.create(name="ant").pk, scopes=["read"])
    row = ApiToken.objects.get()
    boss.press(f"access/apitoken/{row.pk}/change/", "revoke")
    with pytest.raises(TokenRevoked):
        from_api_token(token)
    assert AuditEntry.objects.filter(operation="revoke_api_token").count() == 1
    boss.press(f"access/apitoken/{row.pk}/change/", "revoke")
    assert AuditEntry.objects.filter(operation="revoke_api_token").count() == 1


def test_a_revoked_grant_is_refused_at_once(boss: Staff) -> None:
    token = str(filed(reporter())["guest_access_token"])
    grant = GuestToken.objects.get()
    assert "store drops due_date" in boss.page("access/guesttoken/", q=grant.thread_id)
    boss.press(f"access/guesttoken/{grant.pk}/change/", "revoke")
    with pytest.raises(GuestTokenRevoked):
        from_guest_token(token)
    assert AuditEntry.objects.get(operation="revoke_guest_token").subject == grant.thread_id
    assert 'value="revoke"' not in boss.page(f"access/guesttoken/{grant.pk}/change/")


def test_an_agent_is_made_and_switched_off(boss: Staff) -> None:
    boss.client.post("/admin/access/agent/add/", {"name": "ant", "kind": "agent", "active": "on"})
    agent = Agent.objects.get()
    token = minted(boss, agent=agent.pk, scopes=["read"])
    boss.client.post(f"/admin/access/agent/{agent.pk}/change/", {"name": "ant", "kind": "agent"})
    with pytest.raises(TokenRevoked):
        from_api_token(token)
    assert set(AuditEntry.objects.values_list("operation", flat=True)) >= {"add_agent", "change_agent"}


def test_tokens_are_for_operators(maintainer: Staff) -> None:
    agent = Agent.objects.create(name="ant")
    assert maintainer.client.post(ADD, {"agent": agent.pk, "scopes": ["read"]}).status_code == 403
    assert not ApiToken.objects.exists()

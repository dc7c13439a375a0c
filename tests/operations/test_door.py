from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.test import Client

from neotoma.access.authenticate import Unauthenticated
from neotoma.access.limits import TooMany
from neotoma.operations.door import admit
from neotoma.operations.models import AuditEntry

pytestmark = pytest.mark.django_db


def knock(credential: str | None, address: str = "203.0.113.7") -> str:
    return admit(credential, surface="rest", request_id="r1", address=address).role


@pytest.mark.parametrize(
    ("credential", "code"),
    [
        ("Bearer ntk_unknown", "TOKEN_INVALID"),
        ("Bearer gst_unknown", "GUEST_TOKEN_INVALID"),
        ("Basic abc", "TOKEN_INVALID"),
        ("Bearer", "TOKEN_INVALID"),
        ("", "TOKEN_INVALID"),
    ],
)
def test_a_refused_credential_leaves_its_reason_and_nothing_of_itself(credential: str, code: str) -> None:
    with pytest.raises(Unauthenticated) as refusal:
        knock(credential)
    assert refusal.value.error_code == code
    entry = AuditEntry.objects.get()
    assert (entry.operation, entry.outcome, entry.error_code, entry.request_id) == (
        "authenticate",
        "refused",
        code,
        "r1",
    )
    assert "unknown" not in entry.error_code and "ntk_" not in str(entry.details)


def test_no_credential_at_all_is_anonymous() -> None:
    assert knock(None) == "anonymous"
    assert not AuditEntry.objects.exists()


def test_an_address_that_keeps_trying_is_told_to_wait(settings: LazySettings) -> None:
    settings.NEOTOMA_REFUSALS_PER_HOUR = 2
    for _ in range(2):
        with pytest.raises(Unauthenticated):
            knock("Bearer ntk_unknown")
    with pytest.raises(TooMany):
        knock("Bearer ntk_unknown")
    with pytest.raises(Unauthenticated):
        knock("Bearer ntk_unknown", address="203.0.113.8")
    assert AuditEntry.objects.count() == 3


def test_both_surfaces_say_when_to_come_back(settings: LazySettings, client: Client) -> None:
    settings.NEOTOMA_REFUSALS_PER_HOUR = 0
    headers = {"Authorization": "Bearer ntk_unknown"}
    for answer in (
        client.get("/api/issues", headers=headers),
        client.post("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, "application/json", headers=headers),
    ):
        assert answer.status_code == 429
        assert int(answer.headers["Retry-After"]) > 0
        assert answer.json()["error_code"] == "RATE_LIMITED"

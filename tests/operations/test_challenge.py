from __future__ import annotations

from neotoma.access.authenticate import GuestTokenInvalid, Unauthenticated
from neotoma.access.policy import AuthenticationRequired, ScopeMissing
from neotoma.operations.challenge import challenge

BASE = "https://neotoma.example"


def test_without_a_credential_it_only_says_where_to_read_on() -> None:
    assert challenge(AuthenticationRequired("A token."), BASE, "/mcp") == (
        'Bearer resource_metadata="https://neotoma.example/.well-known/oauth-protected-resource/mcp"'
    )


def test_a_bad_credential_is_told_the_reason_in_one_line_that_cannot_be_broken() -> None:
    header = challenge(GuestTokenInvalid('not "known"\\'), BASE)
    assert 'error="invalid_token", error_description="GUEST_TOKEN_INVALID: not \'known\'"' in header
    assert 'error="invalid_token"' in challenge(Unauthenticated("no"), BASE)


def test_a_missing_scope_names_all_that_would_do() -> None:
    header = challenge(ScopeMissing("No.", details={"any_of": ["maintain", "write"]}), BASE)
    assert 'error="insufficient_scope", scope="maintain write"' in header

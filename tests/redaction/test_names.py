"""Which names announce a secret, and how surely."""

import pytest

from neotoma.redaction.names import secrecy
from neotoma.redaction.words import words

STRONG = words(
    """password DB_PASSWORD dbPassword PGPASSWORD user.password api_key apiKey X-Api-Key AWS_SECRET_ACCESS_KEY
token accessToken csrf_token _authToken client_secret JWT_SECRET SECRET_KEY SECRET_KEY_BASE PASSWORD_PROD TOKEN_OLD
password2 new_password1 password_confirmation SMTP_PASS sslKeyStorePassword PrivateKey GUEST_TOKEN_PEPPER
contrase\u00f1a passphrase"""
)
WEAK = words("auth key GH_PAT session_id sessionid code sig salt tokens credentials app_cipher_text_key pass")
ORDINARY = words(
    """token_count max_tokens_per_minute author tokenizer monkey keyboard primary_key cache_key idempotency_key
next_page_token pad_token secret_name password_file passwordHash token_type token_url is_password has_token compass name
key_id private_key_id secretary title"""
)


@pytest.mark.parametrize("name", sorted(STRONG))
def test_names_that_are_proof(name: str) -> None:
    secret = secrecy(name)
    assert secret is not None
    assert secret.strong


@pytest.mark.parametrize("name", sorted(WEAK))
def test_names_that_need_a_random_value(name: str) -> None:
    secret = secrecy(name)
    assert secret is not None
    assert not secret.strong


@pytest.mark.parametrize("name", sorted(ORDINARY))
def test_ordinary_names(name: str) -> None:
    assert secrecy(name) is None

"""Signatures, checked by an implementation that is not ours."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from webhooks.signing import BODY_SIGNATURE, derive_secret, signed_headers, verify, verify_body

SERVER_KEY = b"k" * 32
NEW, OLD = derive_secret(SERVER_KEY, "nonce-2"), derive_secret(SERVER_KEY, "nonce-1")
BODY = json.dumps({"type": "entity.created", "text": "déjà vu"}, ensure_ascii=False).encode()
NOW = 1_800_000_000


def test_a_secret_is_32_bytes_that_key_and_nonce_decide() -> None:
    assert NEW.startswith("whsec_")
    assert len(base64.b64decode(NEW.removeprefix("whsec_"), validate=True)) == 32
    assert derive_secret(SERVER_KEY, "nonce-2") == NEW
    assert len({NEW, OLD, derive_secret(b"j" * 32, "nonce-2")}) == 3


def test_a_secret_is_not_the_bare_hmac_that_other_tokens_may_use() -> None:
    bare = base64.b64encode(hmac.digest(SERVER_KEY, b"nonce-2", hashlib.sha256)).decode()
    assert f"whsec_{bare}" != NEW


@pytest.mark.parametrize("secret", [NEW, OLD])
def test_an_independent_verifier_accepts_either_live_secret(secret: str) -> None:
    headers = signed_headers("delivery-1", int(time.time()), BODY, [NEW, OLD])
    assert len(headers["webhook-signature"].split(" ")) == 2
    assert Webhook(secret).verify(BODY, headers) == json.loads(BODY)


def test_an_independent_verifier_refuses_other_bytes_and_other_secrets() -> None:
    headers = signed_headers("delivery-1", int(time.time()), BODY, [NEW])
    for secret, body in [(OLD, BODY), (NEW, BODY + b" ")]:
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(body, headers)


def test_the_body_signature_is_keyed_by_the_newest_secret_as_text() -> None:
    headers = signed_headers("delivery-1", NOW, BODY, [NEW, OLD])
    assert headers[BODY_SIGNATURE] == "sha256=" + hmac.new(NEW.encode(), BODY, "sha256").hexdigest()
    assert verify_body(headers[BODY_SIGNATURE], BODY, [OLD, NEW])
    assert not verify_body(headers[BODY_SIGNATURE], BODY, [OLD])
    assert not verify_body(headers[BODY_SIGNATURE], BODY + b"\n", [NEW])
    assert not verify_body("sha256=é", BODY, [NEW])


def test_verify_accepts_what_was_signed_under_any_header_case() -> None:
    headers = {name.upper(): value for name, value in signed_headers("delivery-1", NOW, BODY, [NEW, OLD]).items()}
    assert verify(headers, BODY, [OLD], now=NOW)
    assert verify(headers, BODY, [derive_secret(SERVER_KEY, "none"), NEW], now=NOW + 300)


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-id": "delivery-2"},
        {"webhook-id": "delivery-1.x"},
        {"webhook-id": ""},
        {"webhook-timestamp": str(NOW + 1)},
        {"webhook-timestamp": "soon"},
        {"webhook-timestamp": "٣"},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v1,é"},
    ],
)
def test_verify_refuses_a_changed_header(change: dict[str, str]) -> None:
    assert not verify(signed_headers("delivery-1", NOW, BODY, [NEW]) | change, BODY, [NEW], now=NOW)


def test_verify_refuses_other_versions_of_the_signature() -> None:
    headers = signed_headers("delivery-1", NOW, BODY, [NEW])
    headers["webhook-signature"] = headers["webhook-signature"].replace("v1,", "v2,")
    assert not verify(headers, BODY, [NEW], now=NOW)


def test_verify_refuses_serialised_anew_missing_old_and_early_deliveries() -> None:
    headers = signed_headers("delivery-1", NOW, BODY, [NEW])
    assert not verify(headers, json.dumps(json.loads(BODY)).encode(), [NEW], now=NOW)
    assert not verify({}, BODY, [NEW], now=NOW)
    assert not verify(headers, BODY, [], now=NOW)
    assert not verify(headers, BODY, [NEW], now=NOW + 301)
    assert not verify(headers, BODY, [NEW], now=NOW - 301)


def test_parts_cannot_slide_across_the_dots() -> None:
    with pytest.raises(ValueError, match="id of letters"):
        signed_headers("a.1", NOW, BODY, [NEW])
    with pytest.raises(ValueError, match="needs a secret"):
        signed_headers("a", NOW, BODY, [])


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_AAAA", "whsec_*", NEW.removeprefix("whsec_"), NEW + "!"])
def test_a_malformed_secret_is_an_error_and_not_a_weak_key(secret: str) -> None:
    with pytest.raises(ValueError, match="whsec_"):
        signed_headers("a", NOW, BODY, [secret])

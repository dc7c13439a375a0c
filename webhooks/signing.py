"""Sign and check webhook deliveries: Standard Webhooks headers, and the plain body signature beside them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence

SECRET_PREFIX = "whsec_"  # noqa: S105  the public prefix of every secret
BODY_SIGNATURE = "X-Neotoma-Signature-256"
TOLERANCE_S = 300
_LABEL = b"neotoma.webhook-secret.v1\0"
_ID = re.compile(r"[A-Za-z0-9_:-]{1,200}")  # no dot: it separates the signed parts
_STAMP = re.compile(r"[0-9]{1,12}")


def derive_secret(server_key: bytes, nonce: str) -> str:
    """The secret of one subscription, `whsec_` + base64 of 32 bytes. It is recomputed, never stored.

    The label keeps these keys apart from everything else that is derived from the same server key.
    """
    key = hmac.digest(server_key, _LABEL + nonce.encode(), hashlib.sha256)
    return SECRET_PREFIX + base64.b64encode(key).decode()


def signed_headers(delivery_id: str, timestamp: int, body: bytes, secrets: Sequence[str]) -> dict[str, str]:
    """Headers for one attempt at `timestamp` (unix seconds); `secrets` are the live ones, newest first.

    `webhook-signature` carries one signature a secret. The body signature has room for one, the newest's. Its key is
    the secret's whole text, as a receiver was given it. Raises ValueError on no secret, or an id that has a dot.
    """
    if not secrets or not _ID.fullmatch(delivery_id):
        raise ValueError("a delivery needs a secret, and an id of letters, digits, '_', ':' and '-'")
    stamp = str(timestamp)
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": stamp,
        "webhook-signature": " ".join(_signature(delivery_id, stamp, body, secret) for secret in secrets),
        BODY_SIGNATURE: _body_signature(body, secrets[0]),
    }


def verify(headers: Mapping[str, str], body: bytes, secrets: Sequence[str], *, now: int) -> bool:
    """Whether the Standard Webhooks headers sign these raw bytes, within five minutes of `now` (unix seconds)."""
    given = {name.lower(): value for name, value in headers.items()}
    delivery_id, stamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not _ID.fullmatch(delivery_id) or not _STAMP.fullmatch(stamp) or abs(now - int(stamp)) > TOLERANCE_S:
        return False
    offered = given.get("webhook-signature", "").split(" ")
    expected = [_signature(delivery_id, stamp, body, secret) for secret in secrets]
    return any(_same(mine, theirs) for mine in expected for theirs in offered)


def verify_body(signature: str, body: bytes, secrets: Sequence[str]) -> bool:
    """Whether `signature`, the value of `X-Neotoma-Signature-256`, signs these raw bytes with one of the secrets."""
    return any(_same(_body_signature(body, secret), signature) for secret in secrets)


def _signature(delivery_id: str, stamp: str, body: bytes, secret: str) -> str:
    digest = hmac.digest(_key(secret), f"{delivery_id}.{stamp}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(digest).decode()


def _body_signature(body: bytes, secret: str) -> str:
    return "sha256=" + hmac.digest(secret.encode(), body, hashlib.sha256).hex()


def _key(secret: str) -> bytes:
    encoded = secret.removeprefix(SECRET_PREFIX)
    try:
        key = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        key = b""
    if encoded == secret or not 24 <= len(key) <= 64:
        raise ValueError("a webhook secret is whsec_ and the base64 of 24 to 64 bytes")
    return key


def _same(mine: str, theirs: str) -> bool:
    return hmac.compare_digest(mine.encode(), theirs.encode())

"""Making tokens and recognising them. Only digests are stored."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

API_PREFIX, GUEST_PREFIX = "ntk_", "gst_"


def new_api_token() -> str:
    """256 random bits."""
    return API_PREFIX + secrets.token_urlsafe(32)


def new_nonce() -> str:
    return secrets.token_hex(16)


def guest_token(server_key: str, nonce: str) -> str:
    """256 bits, the same for the same grant, unguessable without the server's key."""
    return GUEST_PREFIX + _encode(keyed(server_key, "guest-token", nonce.encode()))


def digest(token: str) -> str:
    """What is stored of a token; plain SHA-256 is enough for 256 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()


def keyed(server_key: str, label: str, message: bytes) -> bytes:
    """HMAC-SHA256 under a key of its own for each use."""
    key = hmac.new(server_key.encode(), f"neotoma:{label}".encode(), hashlib.sha256).digest()
    return hmac.new(key, message, hashlib.sha256).digest()


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()

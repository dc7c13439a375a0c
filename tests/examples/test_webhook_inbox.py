from __future__ import annotations

import json
import time

import pytest
import requests

from examples.webhook_inbox import listening
from webhooks.signing import derive_secret, signed_headers

SECRET, OTHER = derive_secret(b"key", "nonce"), derive_secret(b"key", "other")
BODY = json.dumps({"type": "entity.created", "data": {"entity_id": "ent_1"}}).encode()


def headers(secret: str) -> dict[str, str]:
    return signed_headers("7", int(time.time()), BODY, [secret])


def test_a_signed_event_is_kept() -> None:
    with listening() as inbox:
        inbox.secret = SECRET
        assert requests.post(inbox.url, BODY, headers=headers(SECRET), timeout=10).status_code == 204
        assert inbox.next_event(10) == {"entity_id": "ent_1"}
    assert (inbox.bodies, inbox.refused) == ([BODY], 0)


def test_anything_else_is_refused() -> None:
    with listening() as inbox:
        answers = [requests.post(inbox.url, BODY, headers=headers(SECRET), timeout=10)]
        inbox.secret = SECRET
        answers += [
            requests.post(inbox.url, BODY, headers=headers(OTHER), timeout=10),
            requests.post(inbox.url, BODY + b" ", headers=headers(SECRET), timeout=10),
            requests.post(inbox.url, BODY, timeout=10),
        ]
        with pytest.raises(AssertionError, match="4 were refused"):
            inbox.next_event(0.1)
    assert [answer.status_code for answer in answers] == [401] * 4

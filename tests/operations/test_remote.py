from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.test import RequestFactory

from neotoma.operations.remote import coarse, remote_address


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("nonsense", "unknown"),
        ("", "unknown"),
    ],
)
def test_addresses_are_counted_by_subscriber(text: str, key: str) -> None:
    assert coarse(text) == key


def test_a_forwarded_address_counts_only_behind_a_trusted_proxy(settings: LazySettings) -> None:
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1", headers={"X-Forwarded-For": "1.2.3.4, 203.0.113.7"})
    settings.NEOTOMA_BEHIND_PROXY = False
    assert remote_address(request) == "10.0.0.1"
    settings.NEOTOMA_BEHIND_PROXY = True
    assert remote_address(request) == "203.0.113.7"

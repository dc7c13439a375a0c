"""What a type hides is shown by no read."""

from __future__ import annotations

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.errors import InvalidInput
from tests.support import callers

pytestmark = pytest.mark.django_db


def test_where_a_webhook_goes_is_nobody_elses_business() -> None:
    boss = callers.operator()
    url = "https://receiver.example.com/hook?key=abc"
    wanted = {"entity_types": ["task"], "delivery_method": "webhook", "webhook_url": url}
    made = call("subscribe", wanted, callers.agent())["subscription_id"]
    read = call("retrieve_entity_snapshot", {"entity_id": made, "response_format": "detailed"}, boss)
    found = call("retrieve_entities", {"entity_type": "subscription"}, boss)
    for answer in (read, found):
        assert "abc" not in str(answer)
        assert "nonce" not in str(answer)
    with pytest.raises(InvalidInput):
        filters = {"nonce": {"op": "gte", "value": "0"}}
        call("retrieve_entities", {"entity_type": "subscription", "filters": filters}, boss)

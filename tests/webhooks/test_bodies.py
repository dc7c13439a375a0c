"""The bytes of a delivery."""

from __future__ import annotations

import json

from webhooks.bodies import delivery_body

EVENT = {
    "event_id": "evt_7",
    "seq": 7,
    "event_type": "entity.updated",
    "timestamp": "2026-01-31T12:00:00Z",
    "fields_changed": {"title": {"old": "é", "new": "\u2028 </script>"}},
}


def test_a_body_has_the_standard_shape_and_all_of_the_event() -> None:
    body = json.loads(delivery_body(EVENT, "ent_1", "dlv_2"))
    assert body == {
        "type": "entity.updated",
        "timestamp": "2026-01-31T12:00:00Z",
        "data": {**EVENT, "subscription_id": "ent_1", "delivery_id": "dlv_2"},
    }


def test_the_same_delivery_has_the_same_bytes() -> None:
    turned = dict(reversed(EVENT.items()))
    assert delivery_body(EVENT, "ent_1", "dlv_2") == delivery_body(turned, "ent_1", "dlv_2")

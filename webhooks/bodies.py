"""The bytes of a delivery: pure, and the same for the same delivery whenever it is sent."""

from __future__ import annotations

from collections.abc import Mapping

from neotoma.substrate.canonical import canonical_json


def delivery_body(event: Mapping[str, object], subscription_id: str, delivery_id: str) -> bytes:
    """Canonical JSON of `{type, timestamp, data}`, the shape of Standard Webhooks.

    `event` is `Event.payload()`; `data` holds all of it and the two ids.
    """
    data = {**event, "subscription_id": subscription_id, "delivery_id": delivery_id}
    return canonical_json({"type": event["event_type"], "timestamp": event["timestamp"], "data": data}).encode()

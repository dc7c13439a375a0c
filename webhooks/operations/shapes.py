"""How a subscription looks in answers."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from neotoma.access.principals import Principal
from neotoma.operations.shapes import Shape
from neotoma.substrate.errors import NotFound
from neotoma.substrate.reading import iso
from webhooks.models import Subscription, SubscriptionQuerySet

SubscriptionId = Field(description="What subscribe answered.", examples=["ent_..."], max_length=28)


class SubscriptionView(Shape):
    """One subscription. The signing secret is never shown again."""

    subscription_id: str = Field(description="Its id.")
    active: bool = Field(description="False once it was ended.")
    delivery_method: str = Field(description="webhook or sse.")
    webhook_url: str | None = Field(None, description="Where a webhook goes.")
    entity_types: list[str] = Field(description="Only events of these types; empty for all.")
    entity_ids: list[str] = Field(description="Only events about these entities; empty for all.")
    event_types: list[str] = Field(description="Only these events; empty for all but observation.created.")
    exclude_self: bool = Field(description="True when the subscriber's own writes are left out.")
    owner: str = Field(description="Key of the actor that subscribed.")
    start: int = Field(description="It covers events after this seq.")
    created_at: str = Field(description="When it was made, UTC.")
    last_outcome: str | None = Field(
        None, description="delivered, failed, blocked_target or unknown: of the newest delivery that ended."
    )


def view_of(row: Subscription) -> dict[str, Any]:
    """The fields of a `SubscriptionView`; `row` comes from a queryset `with_last_outcome`."""
    return {
        "subscription_id": row.pk,
        "active": row.active,
        "delivery_method": row.delivery_method,
        "webhook_url": row.webhook_url or None,
        "entity_types": row.entity_types,
        "entity_ids": row.entity_ids,
        "event_types": row.event_types,
        "exclude_self": row.exclude_self,
        "owner": row.owner,
        "start": row.start_seq,
        "created_at": iso(row.created_at),
        "last_outcome": getattr(row, "last_outcome", None),
    }


def own(rows: SubscriptionQuerySet, principal: Principal, subscription_id: str) -> Subscription:
    """The subscription; `NotFound` when there is none, or it belongs to somebody else."""
    row = rows.reachable_by(principal).filter(pk=subscription_id).first()
    if row is None:
        raise NotFound(
            f"There is no subscription {subscription_id} of yours.", details={"subscription_id": subscription_id}
        )
    return row

"""End a subscription."""

from __future__ import annotations

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import GuestAccessToken, Shape, WriteParams
from neotoma.substrate.drafts import Draft
from webhooks.models import Subscription
from webhooks.operations.shapes import SubscriptionId, own


class UnsubscribeParams(WriteParams):
    subscription_id: str = SubscriptionId
    guest_access_token: GuestAccessToken = None


class Unsubscribed(Shape):
    subscription_id: str = Field(description="The subscription that has ended.")
    active: bool = Field(description="false.")
    replayed: bool = Field(False, description="True when this repeats the answer of an earlier call with the same key.")


@operation(
    "unsubscribe",
    title="End a subscription",
    effect="write",
    risk="mid",
    undo="subscribe",
    scopes=("report", "read", "write", "review", "guest"),
    route=Route("POST", "subscriptions/{subscription_id}/unsubscribe"),
    toolset="webhooks",
)
def unsubscribe(context: Context, params: UnsubscribeParams) -> Unsubscribed:
    """End a subscription; nothing is sent from then on. Ending it twice is harmless. Undo: subscribe again."""
    row = own(Subscription.objects.all(), context.principal, params.subscription_id)
    context.write.put([Draft("subscription", {"active": False}, entity_id=row.pk)])
    context.about(row.pk)
    return Unsubscribed(subscription_id=row.pk, active=False)

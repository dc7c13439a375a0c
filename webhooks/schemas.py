"""The entity type `subscription` and its projection."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from neotoma.substrate.filters import OBSERVED
from neotoma.substrate.models import Entity
from neotoma.substrate.schema import EntityType, register_type
from webhooks.models import Subscription, Watch
from webhooks.watching import watched


class SubscriptionFields(BaseModel):
    owner: str = Field(description="Key of the actor that subscribed.")
    credential: str = Field(description="The credential that it subscribed with.")
    entity_types: list[str] = Field(default_factory=list, description="Only events of these types.")
    entity_ids: list[str] = Field(default_factory=list, description="Only events about these entities.")
    event_types: list[str] = Field(default_factory=list, description="Only these events.")
    exclude_self: bool = Field(False, description="Without the subscriber's own writes.")
    delivery_method: Literal["webhook", "sse"] = Field(description="How events travel.")
    webhook_url: str = Field("", description="Where a webhook goes.")
    nonce: str = Field("", description="The signing secret is derived from it.")
    active: bool = Field(True, description="Whether anything is sent.")
    start_seq: int = Field(ge=0, description="Only events after this one.")
    created_at: datetime = Field(description="When it was made.")


def project_subscriptions(entities: Sequence[Entity]) -> None:
    """Bring the Subscription table, and what is watched, in line with these snapshots."""
    rows = [_subscription(entity) for entity in entities]
    if all(entity.made_now for entity in entities):
        Subscription.objects.bulk_create(rows)
    else:
        columns = [field.attname for field in Subscription._meta.concrete_fields if not field.primary_key]
        Subscription.objects.bulk_create(rows, update_conflicts=True, unique_fields=["entity"], update_fields=columns)
        Watch.objects.filter(subscription__in=[row.pk for row in rows]).delete()
    Watch.objects.bulk_create(
        [Watch(subscription=row, kind=kind, value=value) for row in rows for kind, value in watched(row.filter)]
    )


def _subscription(entity: Entity) -> Subscription:
    fields = entity.snapshot
    event_types = fields.get("event_types", [])
    return Subscription(
        entity=entity,
        owner=fields["owner"],
        credential=fields["credential"],
        entity_types=fields.get("entity_types", []),
        entity_ids=fields.get("entity_ids", []),
        event_types=event_types,
        exclude_self=fields.get("exclude_self", False),
        delivery_method=fields["delivery_method"],
        webhook_url=fields.get("webhook_url", ""),
        nonce=fields.get("nonce", ""),
        raw=OBSERVED in event_types,
        active=fields.get("active", True) and entity.deleted_at is None,
        start_seq=fields["start_seq"],
        created_at=datetime.fromisoformat(fields["created_at"]),
    )


SUBSCRIPTION = register_type(
    EntityType(
        name="subscription",
        description="Who is told of which events, and how.",
        model=SubscriptionFields,
        managed_by=("subscribe", "unsubscribe"),
        strict=True,
        searchable=("owner", "entity_types", "event_types", "delivery_method"),
        hidden=frozenset({"credential", "nonce", "webhook_url"}),
        projection=project_subscriptions,
    )
)

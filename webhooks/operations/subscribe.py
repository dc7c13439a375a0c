"""Subscribe to events."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.conf import settings
from pydantic import Field

from neotoma.access import tokens
from neotoma.access.authenticate import server_key
from neotoma.operations.context import Context
from neotoma.operations.events import refuse_unknown_events
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import GuestAccessToken, Shape, WriteParams
from neotoma.submissions.names import refuse_secrets
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import Conflict, InvalidInput, NotFound
from neotoma.substrate.models import Entity, Event
from neotoma.substrate.reading import iso
from webhooks.addresses import check_url
from webhooks.models import Subscription
from webhooks.signing import derive_secret

CAP = 50
"""Active subscriptions of one actor."""

TypeName = Annotated[str, Field(min_length=1, max_length=64)]
EntityId = Annotated[str, Field(pattern=r"^ent_[0-9a-f]{24}$")]


class TooManySubscriptions(Conflict):
    """The actor has as many active subscriptions as one may have."""

    error_code = "SUBSCRIPTION_LIMIT"
    hint = "End one that you no longer need with unsubscribe, or name several entities in one subscription."


class SubscribeParams(WriteParams):
    entity_types: list[TypeName] = Field(
        default_factory=list, max_length=20, description="Only events of these types.", examples=[["issue"]]
    )
    entity_ids: list[EntityId] = Field(
        default_factory=list,
        max_length=100,
        description="Only events about these entities, and about what belongs to their threads.",
        examples=[["ent_..."]],
    )
    event_types: list[str] = Field(
        default_factory=list,
        max_length=10,
        description="Only these events; observation.created comes only when it is named.",
        examples=[["entity.created", "entity.updated"]],
    )
    exclude_self: bool = Field(False, description="True leaves out what you write yourself.")
    delivery_method: Literal["webhook", "sse"] = Field(
        description="webhook: one signed POST an event. sse: nothing is sent, you read list_events after the cursor.",
        examples=["webhook"],
    )
    webhook_url: str | None = Field(
        None, description="Where to POST; https, a public host.", examples=["https://hooks.example.com/neotoma"]
    )
    guest_access_token: GuestAccessToken = None


class Subscribed(Shape):
    subscription_id: str = Field(description="Keep it: status and unsubscribe need it.")
    webhook_secret: str | None = Field(
        None, description="Signs every delivery (Standard Webhooks). Shown once; keep it."
    )
    cursor: int = Field(description="It covers every event after this seq; list_events(after=cursor) shows the same.")
    delivery_method: str = Field(description="webhook or sse.")
    entity_ids: list[str] = Field(description="What it is about; a guest's is its thread unless it said less.")
    replayed: bool = Field(False, description="True when this repeats the answer of an earlier call with the same key.")


def _with_secret(context: Context, saved: dict[str, Any]) -> dict[str, Any]:
    """A replay derives the secret again, for those to whom the subscription belongs."""
    row = Subscription.objects.reachable_by(context.principal).filter(pk=saved["subscription_id"]).first()
    return {**saved, "webhook_secret": _secret(row.nonce)} if row is not None and row.nonce else saved


@operation(
    "subscribe",
    title="Subscribe to events",
    effect="write",
    risk="low",
    undo="unsubscribe",
    additive=True,
    scopes=("report", "read", "write", "review", "guest"),
    route=Route("POST", "subscriptions"),
    toolset="webhooks",
    status=201,
    secrets=("webhook_secret",),
    replay=_with_secret,
)
def subscribe(context: Context, params: SubscribeParams) -> Subscribed:
    """Be told of events as they are stored, by webhook; or keep a cursor from which you read them yourself.

    Needs at least one filter. You get only events about what you may see at the time. A webhook is attempted once:
    close gaps with list_events. With a guest token it covers exactly your thread. Undo: unsubscribe.
    """
    _refuse_wrong(params)
    ids = _entity_ids(context, params)
    if not (ids or params.entity_types or params.event_types):
        raise InvalidInput.at(
            "arguments", "no filter", hint="Name at least one of entity_types, entity_ids and event_types."
        )
    actor = context.principal.actor
    if Subscription.objects.filter(owner=actor.key, active=True).count() >= CAP:
        raise TooManySubscriptions(f"You have {CAP} active subscriptions.", details={"limit": CAP})
    cursor = Event.objects.order_by("-seq").values_list("seq", flat=True).first() or 0
    nonce = tokens.new_nonce() if params.delivery_method == "webhook" else ""
    draft = Draft("subscription", _fields(context, params, ids, cursor, nonce), visibility="private")
    entity = context.write.put([draft])[0].entity
    context.about(entity.pk, delivery_method=params.delivery_method)
    return Subscribed(
        subscription_id=entity.pk,
        webhook_secret=_secret(nonce) if nonce else None,
        cursor=cursor,
        delivery_method=params.delivery_method,
        entity_ids=ids,
    )


def _refuse_wrong(params: SubscribeParams) -> None:
    """What is wrong whoever asks. The names behind a URL are looked up when a delivery connects, never in a call."""
    refuse_unknown_events(params.event_types)
    refuse_secrets({"entity_types": params.entity_types})
    if params.delivery_method == "webhook":
        if not params.webhook_url:
            raise InvalidInput.at(
                "webhook_url", "a webhook needs one", hint="Or read list_events yourself: delivery_method sse."
            )
        check_url(params.webhook_url, allow_local=settings.NEOTOMA_ALLOW_LOCAL_WEBHOOKS)
    elif params.webhook_url is not None:
        raise InvalidInput.at(
            "webhook_url", "only a webhook has one", hint="Leave it out, or use delivery_method webhook."
        )


def _entity_ids(context: Context, params: SubscribeParams) -> list[str]:
    """Readable ids, merged ones replaced by what they became; a guest's default is its thread."""
    if not params.entity_ids:
        return [context.principal.thread] if context.principal.thread else []
    found = dict.fromkeys(params.entity_ids)
    while True:
        rows = Entity.objects.visible_to(context.audience).filter(pk__in=found)
        became = dict(rows.values_list("pk", "merged_into_id"))
        for entity_id in found:
            if entity_id not in became:
                raise NotFound(f"There is no entity {entity_id} that you can see.", details={"entity_id": entity_id})
        if not any(became.values()):
            return list(found)
        found = dict.fromkeys(became[entity_id] or entity_id for entity_id in found)


def _fields(context: Context, params: SubscribeParams, ids: list[str], cursor: int, nonce: str) -> dict[str, Any]:
    return {
        "owner": context.principal.actor.key,
        "credential": context.principal.credential,
        "entity_types": list(dict.fromkeys(params.entity_types)),
        "entity_ids": ids,
        "event_types": list(dict.fromkeys(params.event_types)),
        "exclude_self": params.exclude_self,
        "delivery_method": params.delivery_method,
        "webhook_url": params.webhook_url or "",
        "nonce": nonce,
        "active": True,
        "start_seq": cursor,
        "created_at": iso(context.now),
    }


def _secret(nonce: str) -> str:
    return derive_secret(server_key().encode(), nonce)

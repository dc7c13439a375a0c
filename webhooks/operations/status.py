"""How subscriptions stand."""

from __future__ import annotations

from django.db.models import Count, Q
from pydantic import Field

from neotoma import consumers
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import GuestAccessToken, Page, PageParams, ReadParams, Shape
from neotoma.substrate.cursors import capped_total, decode_cursor, encode_cursor
from neotoma.substrate.reading import iso
from neotoma.substrate.times import cursor_instant
from webhooks.models import WAITING, Delivery, Method, Subscription, SubscriptionQuerySet
from webhooks.operations.shapes import SubscriptionId, SubscriptionView, own, view_of


class ListSubscriptionsParams(PageParams):
    active: bool | None = Field(None, description="true for those that run, false for those that ended.")
    guest_access_token: GuestAccessToken = None


class SubscriptionList(Page):
    subscriptions: list[SubscriptionView] = Field(description="This page, newest first.")


class GetSubscriptionStatusParams(ReadParams):
    subscription_id: str = SubscriptionId
    guest_access_token: GuestAccessToken = None


class SubscriptionStatus(SubscriptionView):
    lag: int | None = Field(
        None, description="Deliveries that wait, and events nobody matched yet; 0 is up to date. Webhooks only."
    )
    deliveries: dict[str, int] = Field(default_factory=dict, description="How many deliveries had each outcome.")


class SubscriptionStatusAnswer(Shape):
    subscription: SubscriptionStatus = Field(description="The subscription and its deliveries so far.")


@operation(
    "list_subscriptions",
    title="List your subscriptions",
    effect="read",
    risk="low",
    scopes=("report", "read", "write", "review", "guest"),
    route=Route("GET", "subscriptions"),
    toolset="webhooks",
)
def list_subscriptions(context: Context, params: ListSubscriptionsParams) -> SubscriptionList:
    """List your subscriptions, newest first, each with the outcome of its last delivery."""
    rows = Subscription.objects.reachable_by(context.principal)
    if params.active is not None:
        rows = rows.filter(active=params.active)
    total, capped = capped_total(rows)
    page, cursor = _page(rows.with_last_outcome(), params.limit, params.cursor)
    views = [SubscriptionView(**view_of(row)) for row in page]
    return SubscriptionList(subscriptions=views, next_cursor=cursor, total=total, total_capped=capped)


@operation(
    "get_subscription_status",
    title="Read how a subscription stands",
    effect="read",
    risk="low",
    scopes=("report", "read", "write", "review", "guest"),
    route=Route("GET", "subscriptions/{subscription_id}"),
    toolset="webhooks",
)
def get_subscription_status(context: Context, params: GetSubscriptionStatusParams) -> SubscriptionStatusAnswer:
    """Read whether a subscription is active, how its last delivery went, what waits, and how many had each outcome."""
    rows = Subscription.objects.with_last_outcome()
    row = own(rows, context.principal, params.subscription_id)
    counts = _counts(row)
    lag = None
    if row.delivery_method == Method.WEBHOOK:
        lag = consumers.lag("webhooks.fan_out") + sum(counts.get(outcome, 0) for outcome in WAITING)
    status = SubscriptionStatus(**view_of(row), lag=lag, deliveries=counts)
    return SubscriptionStatusAnswer(subscription=status)


def _counts(row: Subscription) -> dict[str, int]:
    grouped = Delivery.objects.filter(subscription=row).values_list("outcome").order_by("outcome")
    return dict(grouped.annotate(count=Count("pk")))


def _page(rows: SubscriptionQuerySet, limit: int, cursor: str | None) -> tuple[list[Subscription], str | None]:
    if cursor:
        moment, last = decode_cursor(cursor, str, str)
        at = cursor_instant(moment)
        rows = rows.filter(Q(created_at__lt=at) | Q(created_at=at, pk__lt=last))
    found = list(rows.order_by("-created_at", "-pk")[: limit + 1])
    if len(found) <= limit:
        return found, None
    edge = found[limit - 1]
    return found[:limit], encode_cursor(iso(edge.created_at), edge.pk)

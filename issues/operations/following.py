"""Subscribing to an issue in the call that files it: the operation `subscribe`, by name, as a part of submit_issue."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from neotoma.access.authenticate import Unauthenticated, from_credential, from_guest_token
from neotoma.access.models import GuestToken
from neotoma.access.principals import Principal
from neotoma.operations.context import Context
from neotoma.operations.nested import perform, replayed
from neotoma.operations.shapes import Shape
from neotoma.submissions import grant
from neotoma.substrate.errors import InvalidInput

Subscribe = Literal["none", "sse", "webhook"]
SHOWN = ("subscription_id", "delivery_method", "cursor", "webhook_secret")


class IssueSubscription(Shape):
    subscription_id: str = Field(description="Keep it: status and unsubscribe need it.")
    delivery_method: str = Field(description="webhook or sse.")
    cursor: int = Field(description="The log's last seq before it.")
    webhook_secret: str | None = Field(None, description="Signs every delivery. Shown once; keep it.")


def subscribe_to(
    context: Context, issue_id: str, method: Subscribe, url: str | None, granted: GuestToken
) -> IssueSubscription | None:
    """A subscription to exactly this issue; what `subscribe` refuses undoes the submission too."""
    if method == "none":
        if url is not None:
            raise InvalidInput.at("webhook_url", "only for subscribe: webhook")
        return None
    nameless = context.principal.role == "anonymous"
    principal = from_credential(f"guest:{granted.pk}") if nameless else context.principal
    arguments = {"entity_ids": [issue_id], "delivery_method": method, "webhook_url": url}
    answer = perform(_as(context, principal), "subscribe", arguments)
    return IssueSubscription(**{name: answer[name] for name in SHOWN if name in answer})


def subscription_again(context: Context, issue_id: str, saved: dict[str, Any]) -> dict[str, Any]:
    """A saved subscription with its secret again; as it was saved once the grant has ended."""
    principal = context.principal
    if principal.role == "anonymous":
        token = grant.token_again(issue_id, principal.actor.key)
        try:
            principal = from_guest_token(token or "")
        except Unauthenticated:
            return saved
    return replayed(_as(context, principal), "subscribe", saved)


def _as(context: Context, principal: Principal) -> Context:
    """The same call in the same transaction, by the holder of the grant that it has just opened."""
    return Context(principal, context.surface, context.now, context.request_id, context.write)

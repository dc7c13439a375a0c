"""People, facts and the path from an event to a delivery, for tests of webhooks."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from neotoma import consumers
from neotoma.access import bootstrap
from neotoma.access.authenticate import from_api_token
from neotoma.access.models import Agent
from neotoma.access.principals import daemon
from neotoma.operations.invoke import Caller, call
from neotoma.submissions.grant import open_grant
from neotoma.substrate.actors import SYSTEM, Actor
from neotoma.substrate.drafts import Draft
from neotoma.substrate.identity import entity_id
from neotoma.substrate.store import OWNER_SCOPE, open_write
from webhooks.models import Delivery
from webhooks.tasks import deliver

URL = "https://hooks.example.com/neotoma"
MAINTAINER = Actor("user:1", "maintainer", "Mara")


def agent(name: str, *scopes: str) -> Caller:
    """A caller with a token of its own; without scopes it may read, write and work."""
    row, _ = Agent.objects.get_or_create(name=name)
    token = bootstrap.mint(agent=row, scopes=list(scopes) or ["read", "write", "work"])
    return Caller(from_api_token(token), "rest")


def formica() -> Caller:
    return Caller(daemon("formica"), "process")


def token_id(caller: Caller) -> int:
    """Primary key of the token that a caller holds."""
    return int(caller.principal.credential.removeprefix("token:"))


def store(caller: Caller, entity_type: str = "task", **fields: Any) -> str:
    """Store one entity through the front door; answers its id."""
    answer = call("store", {"entities": [{"entity_type": entity_type, **fields}]}, caller)
    return str(answer["entities"][0]["entity_id"])


def thread(name: str, visibility: str = "private", actor: Actor = MAINTAINER) -> str:
    """A submission of its own thread; answers its id, which is also the thread's."""
    key = f"new:{name}"
    thread_id = entity_id(OWNER_SCOPE, "report", key)
    put(Draft("report", {"title": name}, key=key, visibility=visibility, thread_id=thread_id), actor=actor)
    return thread_id


def put(*drafts: Draft, actor: Actor = SYSTEM) -> list[str]:
    """Store drafts as the store's own writer; answers their ids."""
    with open_write(actor, timezone.now()) as write:
        return [stored.entity.pk for stored in write.put(drafts)]


def guest(thread_id: str, issued_to: str = "anonymous") -> str:
    """The token of a new grant on a thread."""
    return open_grant(thread_id, issued_to, timezone.now())[0]


def subscribe(caller: Caller, **arguments: Any) -> dict[str, Any]:
    """Subscribe by webhook, to `URL` unless told otherwise."""
    if "webhook_url" not in arguments:
        arguments["webhook_url"] = URL
    return call("subscribe", {"delivery_method": "webhook", **arguments}, caller)


def fan_out() -> list[Delivery]:
    """Let the consumer catch up; answers every delivery there is, in order of events."""
    consumers.drain("webhooks.fan_out")
    return list(Delivery.objects.order_by("seq", "pk"))


def send_all() -> list[Delivery]:
    """Fan out, and make the attempts that are due; answers every delivery there is."""
    for delivery in fan_out():
        deliver(delivery.pk)
    return list(Delivery.objects.order_by("seq", "pk"))

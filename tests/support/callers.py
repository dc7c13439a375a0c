"""Callers of every role, with real tokens, for tests that run operations."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model

from neotoma.access.authenticate import from_api_token, from_guest_token
from neotoma.access.bootstrap import mint
from neotoma.access.models import Agent
from neotoma.access.principals import ANONYMOUS
from neotoma.operations.invoke import Caller, call
from neotoma.substrate.models import Entity


def agent(*scopes: str, name: str = "") -> Caller:
    """An agent with these scopes; `read`, `write` and `work` by default."""
    scopes = scopes or ("read", "write", "work")
    owner, _ = Agent.objects.get_or_create(name=name or "-".join(scopes))
    return Caller(from_api_token(mint(agent=owner, scopes=list(scopes))), "rest")


def reporter(name: str = "reporter") -> Caller:
    return agent("report", name=name)


def operator() -> Caller:
    user = get_user_model().objects.filter(username="boss").first()
    user = user or get_user_model().objects.create_superuser(username="boss")
    return Caller(from_api_token(mint(user=user, scopes=["operate"])), "rest")


def guest(token: str) -> Caller:
    return Caller(from_guest_token(token), "rest")


def anonymous() -> Caller:
    return Caller(ANONYMOUS, "rest")


def stored(caller: Caller, **fields: Any) -> str:
    """Store one entity and answer its id."""
    entity = {"entity_type": "task", **fields}
    answer = call("store", {"entities": [entity]}, caller)
    return str(answer["entities"][0]["entity_id"])


def filed(caller: Caller, **fields: Any) -> dict[str, Any]:
    """File an issue and answer the whole result."""
    report = {"title": "store drops due_date", "body": "A field is lost.", "reporter_app_version": "1.2.3", **fields}
    return call("submit_issue", report, caller)


def conceal(entity_id: str) -> None:
    """Make it somebody else's private entity, which only maintainers and operators see."""
    Entity.objects.filter(pk=entity_id).update(visibility="private", owner="agent:0")


def merged(gone: str, kept: str) -> None:
    """Merge one entity into another, as somebody who sees both."""
    call("merge_entities", {"from_entity_id": gone, "to_entity_id": kept}, operator())

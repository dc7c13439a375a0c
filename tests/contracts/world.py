"""A small installation with everything that an operation may be about, and a credential of every kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.utils import timezone
from guardian.shortcuts import assign_perm

from neotoma.access import bootstrap
from neotoma.access.authenticate import from_header
from neotoma.access.models import Agent, ApiToken, GuestToken
from neotoma.access.tokens import GUEST_PREFIX, digest
from neotoma.operations.invoke import Caller, call
from neotoma.submissions.grant import open_grant
from neotoma.substrate.models import Entity
from triage.models import Case

REPORT = {"title": "store drops due_date", "body": "The field is gone.", "reporter_app_version": "1.4.2"}

PLAN = {
    "kind": "fix",
    "classification": "bug",
    "title": "Keep due_date",
    "steps": ["Write a test", "Keep the field"],
    "environment": {"kind": "public_release", "version": "1.4.2"},
    "verdict": {"kind": "open", "reproducible": "yes"},
    "risk": "low",
    "confidence": 0.8,
}


@dataclass
class World:
    """`tokens`: by principal, the bearer token, None for no header. The issue is private, filed by `reporter`."""

    tokens: dict[str, str | None] = field(default_factory=dict)
    issue: int = 0
    issue_id: str = ""
    closed: int = 0
    message: str = ""
    withdrawn: str = ""
    task: str = ""
    other: str = ""
    deleted: str = ""
    merged: str = ""
    defined: str = ""
    source: str = ""
    subscription: str = ""
    daemon: str = ""
    plan: str = ""
    case: int = 0

    def do(self, who: str, operation: str, **arguments: Any) -> dict[str, Any]:
        """Call an operation as one of the principals, without a surface between."""
        token = self.tokens[who]
        principal = from_header(None if token is None else f"Bearer {token}")
        return call(operation, arguments, Caller(principal, "rest"))


def build() -> World:
    """Seed it through the operations themselves, so that it is what a real installation would hold."""
    world = World()
    _credentials(world)
    _entities(world)
    _types(world)
    _issues(world)
    _daemon(world)
    return world


def _credentials(world: World) -> None:
    past = timezone.now() - timedelta(hours=1)
    ended = Agent.objects.create(name="ended")
    world.tokens = {
        "anonymous": None,
        "bad": "ntk_nobody-made-this",
        "expired": bootstrap.mint(agent=ended, scopes=["operate"], expires_at=past),
        "revoked": _revoked(ended, past),
        "reporter": _agent("reporter", "report"),
        "neighbour": _agent("neighbour", "report"),
        "agent": _agent("ant", "read", "write", "work"),
        "steward": _agent("steward", "maintain"),
        "maintainer": _person("maintainer", Permission.objects.get(codename="maintain")),
        "operator": bootstrap.mint(user=User.objects.create_superuser("operator"), scopes=["operate"]),
    }


def _agent(name: str, *scopes: str) -> str:
    return bootstrap.mint(agent=Agent.objects.create(name=name), scopes=list(scopes))


def _person(name: str, permission: Permission) -> str:
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.add(permission)
    return bootstrap.mint(user=user, scopes=[])


def _revoked(agent: Agent, past: datetime) -> str:
    token = bootstrap.mint(agent=agent, scopes=["operate"])
    ApiToken.objects.filter(digest=digest(token)).update(revoked_at=past)
    return token


def _entities(world: World) -> None:
    tasks = [{"entity_type": "task", "title": title} for title in ("write", "read", "forget", "Write!")]
    world.source = world.do("reporter", "keep_source", content="what was heard")["source_id"]
    stored = world.do("reporter", "store", entities=tasks, source_id=world.source)["entities"]
    world.task, world.other, world.deleted, world.merged = (entity["entity_id"] for entity in stored)
    world.do("reporter", "delete_entity", entity_id=world.deleted)
    world.do("reporter", "merge_entities", from_entity_id=world.merged, to_entity_id=world.task)
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": world.task, "target_entity_id": world.other}
    world.do("reporter", "create_relationships", relationships=[edge])


def _types(world: World) -> None:
    fields = [{"name": "title", "type": "string"}]
    made = world.do("operator", "register_entity_type", entity_type="errand", description="A way.", fields=fields)
    world.defined = made["entity_type"]


def _issues(world: World) -> None:
    own = world.do("reporter", "submit_issue", **REPORT)
    foreign = world.do("neighbour", "submit_issue", **REPORT)
    closed = world.do("reporter", "submit_issue", **REPORT)
    world.issue, world.issue_id, world.closed = own["issue_number"], own["entity_id"], closed["issue_number"]
    world.tokens["guest own"] = own["guest_access_token"]
    world.tokens["guest other"] = foreign["guest_access_token"]
    _ended_grants(world)
    world.message = world.do("guest own", "add_issue_message", issue_number=world.issue, body="More.")["message_id"]
    world.withdrawn = world.do("guest own", "add_issue_message", issue_number=world.issue, body="No.")["message_id"]
    world.do("guest own", "withdraw_message", message_id=world.withdrawn)
    world.subscription = world.do("guest own", "subscribe", delivery_method="sse")["subscription_id"]
    world.do("operator", "close_issue", issue_number=world.closed, resolution={"kind": "answered"})


def _ended_grants(world: World) -> None:
    """Grants on the same thread that no longer count."""
    now = timezone.now()
    world.tokens["guest bad"] = f"{GUEST_PREFIX}nobody-made-this"
    world.tokens["guest expired"], expired = open_grant(world.issue_id, "agent:0", now)
    world.tokens["guest revoked"], revoked = open_grant(world.issue_id, "agent:0", now)
    GuestToken.objects.filter(pk=expired.pk).update(expires_at=now)
    GuestToken.objects.filter(pk=revoked.pk).update(revoked_at=now)


def _daemon(world: World) -> None:
    """A daemon with a group of reviewers, a plan of it that refers to the issue, and a preview."""
    world.daemon = world.do("operator", "configure_daemon", daemon="formica")["entity_id"]
    world.plan = world.do("steward", "propose_plan", issue_id=world.issue_id, plan=PLAN)["plan_id"]
    case = Case(daemon_id=world.daemon, issue_id=world.issue_id, state="previewed", classification="bug", preview={})
    case.save(force_insert=True)
    world.case = case.pk
    group = Group.objects.create(name="reviewers")
    assign_perm("substrate.review", group, Entity.objects.get(pk=world.daemon))
    reviewer = User.objects.create_user("reviewer", is_staff=True)
    reviewer.groups.add(group)
    world.tokens["reviewer"] = bootstrap.mint(user=reviewer, scopes=[])

"""Staff of every kind, signed in, and a small installation for them to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from guardian.shortcuts import assign_perm
from pytest_django.fixtures import Settings

from neotoma.access.principals import daemon
from neotoma.operations.invoke import Caller, call
from neotoma.substrate.models import Entity
from tests.support.callers import filed, operator, reporter, stored

PLAN: dict[str, Any] = {
    "kind": "fix",
    "classification": "bug",
    "title": "Keep due_date",
    "steps": ["Write a test", "Keep the field"],
    "environment": {"kind": "public_release", "version": "1.4.2", "evidence": ["the tag v1.4.2 exists"]},
    "verdict": {"kind": "open", "reproducible": "yes", "evidence": ["the test fails on main"]},
    "risk": "low",
    "confidence": 0.8,
    "gates": [{"name": "boundary", "decision": "ask", "reason": "foundation code", "paths": ["core/reducer.py"]}],
}


@dataclass
class Staff:
    """One member of staff at the admin; paths are below `/admin/`."""

    user: User
    client: Client = field(default_factory=Client)

    def __post_init__(self) -> None:
        self.client.force_login(self.user)

    def get(self, path: str, **query: str) -> Any:
        return self.client.get(f"/admin/{path}", query)

    def press(self, path: str, button: str, **typed: str) -> Any:
        """What is shown after a button was pressed."""
        return self.client.post(f"/admin/{path}", {"button": button, **typed}, follow=True)

    def page(self, path: str, **query: str) -> str:
        """The page's HTML; it must be there."""
        response = self.get(path, **query)
        assert response.status_code == 200, (path, response.status_code)
        return str(response.content.decode())


@dataclass(frozen=True)
class Desk:
    """Two daemons, each with a plan for an issue of its own, and one issue that no plan is about."""

    issue: str
    other_issue: str
    lonely_issue: str
    plan: str
    other_plan: str
    daemon: str
    other_daemon: str
    linked: str


def propose(issue_id: str, name: str = "formica", **changes: Any) -> str:
    """A plan of a daemon; answers its id."""
    plan = {**PLAN, **changes}
    answer = call("propose_plan", {"issue_id": issue_id, "daemon": name, "plan": plan}, Caller(daemon(name), "process"))
    return str(answer["plan_id"])


def configured(name: str) -> str:
    return str(call("configure_daemon", {"daemon": name, "fields": {"dry_run": False}}, operator())["entity_id"])


@pytest.fixture(autouse=True)
def _no_costly_passwords(settings: Settings) -> None:
    """Nobody's password is at stake here, and a strong hash takes half a second."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def desk(db: None) -> Desk:
    own = reporter()
    linked = stored(own, title="Renew passport")
    daemons = configured("formica"), configured("sentinel")
    first = filed(own, entity_ids_to_link=[linked], labels=["area/store"])["entity_id"]
    second = filed(own, title="search is slow", kind="performance")["entity_id"]
    third = filed(own, title="nobody looked at it", kind="question")["entity_id"]
    plans = propose(first), propose(second, "sentinel", title="Index the search")
    return Desk(first, second, third, *plans, *daemons, linked)


@pytest.fixture
def boss(db: None) -> Staff:
    """The operator."""
    return Staff(User.objects.create_superuser("root"))


@pytest.fixture
def maintainer(db: None) -> Staff:
    user = User.objects.create_user("mara", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="maintain"))
    return Staff(user)


@pytest.fixture
def reviewer(desk: Desk) -> Staff:
    """In a group that reviews the daemon `formica`."""
    group = Group.objects.create(name="formica reviewers")
    assign_perm("substrate.review", group, Entity.objects.get(pk=desk.daemon))
    user = User.objects.create_user("rita", is_staff=True)
    user.groups.add(group)
    return Staff(user)


@pytest.fixture
def clerk(db: None) -> Staff:
    """Staff without any right."""
    return Staff(User.objects.create_user("carl", is_staff=True))


@pytest.fixture
def status() -> Callable[[str], str]:
    """The status of an entity as it is stored."""
    return lambda entity_id: str(Entity.objects.get(pk=entity_id).snapshot["status"])

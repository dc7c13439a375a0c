"""Principals: who calls, with which scopes, seeing what. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neotoma.substrate.actors import NOTHING, Actor, Audience

SCOPES = ("report", "read", "write", "work", "read:private", "review", "maintain", "operate")
"""Words a token may carry. `anonymous` and `guest` exist beside them but are never minted."""

_IMPLIED: dict[str, frozenset[str]] = {
    "maintain": frozenset({"report", "read", "write", "work", "read:private", "review"}),
    "operate": frozenset({"maintain", "report", "read", "write", "work", "read:private", "review"}),
}
_ROLES = ("operate", "maintain", "review", "work", "write", "read", "report", "guest", "anonymous")
_ROLE_NAMES = {
    "operate": "operator",
    "maintain": "maintainer",
    "review": "reviewer",
    "work": "agent",
    "write": "agent",
    "read": "agent",
    "report": "reporter",
    "guest": "guest",
    "anonymous": "anonymous",
}


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of an operation. `staff`: a person of the instance, who may do what is high risk.

    `credential` names the row that proved it (`token:7`, `guest:3`, `user:1`, `daemon:formica`), so that what outlives
    the call, such as a subscription, can ask later whether it still counts. `thread`: what a guest's grant opens.
    """

    actor: Actor
    scopes: frozenset[str]
    audience: Audience
    staff: bool = False
    credential: str = ""
    thread: str = ""

    @property
    def role(self) -> str:
        return next((_ROLE_NAMES[scope] for scope in _ROLES if scope in self.scopes), "anonymous")

    def has(self, scope: str) -> bool:
        return scope in self.scopes


def expand(scopes: Iterable[str]) -> frozenset[str]:
    """Scopes with all that they imply."""
    given = frozenset(scopes)
    return given.union(*(_IMPLIED.get(scope, frozenset()) for scope in given)) if given else given


def audience_of(scopes: frozenset[str], owner: str, roots: frozenset[str] = frozenset()) -> Audience:
    """What the scopes let see; `roots` are the daemons a reviewer reviews."""
    return Audience(
        internal="read" in scopes or "maintain" in scopes,
        private="read:private" in scopes,
        public=bool(scopes & {"report", "read"}),
        owner=owner,
        roots=roots,
    )


ANONYMOUS = Principal(Actor("anonymous", "reporter", "anonymous"), frozenset({"anonymous"}), NOTHING)


def daemon(name: str) -> Principal:
    """A daemon of this installation: works through operations, sees everything, decides nothing that staff must."""
    scopes = expand({"maintain"})
    key = f"daemon:{name}"
    return Principal(Actor(key, "daemon", name), scopes, audience_of(scopes, key), credential=key)

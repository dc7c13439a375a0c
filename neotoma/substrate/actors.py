"""Who writes and who reads, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AuthorKind = Literal["reporter", "agent", "maintainer", "daemon", "mirror", "system"]


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a write. `key` is stable and unique, e.g. `agent:7`, `guest:12`, `user:1`, `daemon:formica`."""

    key: str
    kind: AuthorKind
    name: str


@dataclass(frozen=True, slots=True)
class Audience:
    """What one reader may see; the single input of the visibility querysets.

    `internal`: entities of the instance that belong to no private thread. `private`: private threads too.
    `owner`: the actor key whose own entities are visible. `threads`: thread ids opened by a guest grant.
    `roots`: entities (daemons) whose members, and what these refer to, a reviewer may see.
    """

    internal: bool = False
    private: bool = False
    public: bool = False
    owner: str = ""
    threads: frozenset[str] = frozenset()
    roots: frozenset[str] = frozenset()


EVERYTHING = Audience(internal=True, private=True, public=True)
NOTHING = Audience()

SYSTEM = Actor(key="system", kind="system", name="Neotoma")

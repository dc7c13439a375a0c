"""Finding a daemon, and making the one that every installation has."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft, Stored
from neotoma.substrate.errors import NotFound, WriteRace
from neotoma.substrate.models import Entity
from neotoma.substrate.store import Write, open_write
from triage import schemas
from triage.models import DaemonConfig

DEFAULT = "formica"


def find_daemon(name: str) -> DaemonConfig:
    """The daemon of this name; refuses unknown ones."""
    found = DaemonConfig.objects.filter(name=name).first()
    if found is None:
        raise NotFound(f"There is no daemon {name}.", hint="configure_daemon makes one.", details={"daemon": name})
    return found


def default_is_due() -> bool:
    """Whether there are issues and nobody has made the default daemon yet."""
    made = DaemonConfig.objects.filter(name=DEFAULT).exists()
    return not made and Entity.objects.filter(entity_type="issue").exists()


def ensure_default(now: datetime) -> None:
    """Make the default daemon with every switch at its default, unless it is there. Never inside a drain."""
    if DaemonConfig.objects.filter(name=DEFAULT).exists():
        return
    # Whoever loses the race finds the winner's.
    with suppress(WriteRace), open_write(SYSTEM, now) as write:
        put_daemon(write, DEFAULT, {})


def ensure_daemon(write: Write, name: str) -> DaemonConfig:
    """As `find_daemon`, but the default one is made in this write when it is missing."""
    if name == DEFAULT and not DaemonConfig.objects.filter(name=DEFAULT).exists():
        put_daemon(write, DEFAULT, {})
    return find_daemon(name)


def put_daemon(write: Write, name: str, changes: Mapping[str, Any]) -> Stored:
    """Store a daemon's switches: all of them when it is new, else only the changes."""
    known = DaemonConfig.objects.filter(name=name).exists()
    whole = schemas.DaemonConfig(name=name).model_dump(mode="json", exclude_none=True)
    [stored] = write.put([Draft("daemon_config", {**({"name": name} if known else whole), **changes})])
    return stored

"""Reading settings from the environment, with errors that name the variable."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off"})
POSTGRES_SCHEMES = frozenset({"postgres", "postgresql"})

# One writer at a time takes the lock at BEGIN, so a transaction never fails halfway; after 5 s the caller gets a 503.
SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 5,
    # 16 MB of log before it is copied back: pages that many writes touch, such as the ends of indexes, are copied once
    # instead of four times. The first 256 MB of the file are read as memory that all processes share.
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
        "PRAGMA wal_autocheckpoint=4000; PRAGMA mmap_size=268435456;"
    ),
}


class BadEnvironment(ValueError):
    """A variable holds something that its setting cannot be."""

    def __init__(self, name: str, value: str, wanted: str) -> None:
        super().__init__(f"{name}={value!r} is not {wanted}")


class Environment:
    """Typed reads of one mapping of variables; an empty value counts as absent."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def text(self, name: str, default: str = "") -> str:
        """The value, or the default."""
        return self._values.get(name, "").strip() or default

    def words(self, name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A comma-separated list."""
        raw = self.text(name)
        return tuple(word.strip() for word in raw.split(",") if word.strip()) if raw else default

    def flag(self, name: str, default: bool) -> bool:
        """1/true/yes/on or 0/false/no/off; raises `BadEnvironment` on anything else."""
        raw = self.text(name).lower()
        if not raw:
            return default
        if raw not in TRUE | FALSE:
            raise BadEnvironment(name, raw, "a yes or a no")
        return raw in TRUE

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        """A whole number within [low, high]; raises `BadEnvironment` on anything else."""
        raw = self.text(name)
        if not raw:
            return default
        if not raw.isascii() or not raw.isdigit() or not low <= int(raw) <= high:
            raise BadEnvironment(name, raw, f"a whole number from {low} to {high}")
        return int(raw)

    def choice(self, name: str, default: str, options: tuple[str, ...]) -> str:
        """One of a closed list; raises `BadEnvironment` on anything else."""
        raw = self.text(name, default)
        if raw not in options:
            raise BadEnvironment(name, raw, f"one of {', '.join(options)}")
        return raw


PLANNER = "-c random_page_cost=1.1 -c max_parallel_workers_per_gather=0 -c jit=off"
"""How PostgreSQL reckons: queries here are short, so plans that pay later or in parallel never do. A URL's own
`options` takes its place, for poolers that refuse these.
"""


def database(url: str) -> dict[str, Any]:
    """Django's settings for `postgresql://user:password@host:port/name?option=value` or `sqlite:///path`."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite" and parts.path:
        return {
            "ENGINE": "neotoma.sqlite",
            "NAME": unquote(parts.path[1:]),
            "OPTIONS": {**SQLITE_OPTIONS},
            # The last connection to close writes the whole log back: done after each request, that costs three times
            # the request itself.
            "CONN_MAX_AGE": None,
            "TEST": {"NAME": ":memory:"},  # test runners know by name only that Django's own backend takes this
        }
    if parts.scheme not in POSTGRES_SCHEMES or not parts.path.strip("/"):
        raise BadEnvironment(
            "DATABASE_URL", parts.scheme, "postgresql://user:password@host:port/name or sqlite:///path"
        )
    return {
        "ENGINE": "neotoma.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": {"server_side_binding": True, "options": PLANNER, **dict(parse_qsl(parts.query))},
        # A connection a request costs three times the throughput; dead ones are noticed before use.
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
    }

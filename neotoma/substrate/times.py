"""Times that callers hand in, brought to UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from neotoma.substrate.errors import InvalidInput


def instant(moment: datetime, path: str) -> datetime:
    """The moment in UTC. Refuses one without a zone, as the machine's own is never assumed, and one that UTC lacks."""
    if moment.tzinfo is None:
        raise InvalidInput.at(path, "a time needs a zone", hint="Write it like 2026-01-31T12:00:00Z.")
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # the zone carries it out of the years 1 to 9999
        raise InvalidInput.at(path, "in UTC it lies outside the years 1 to 9999") from None


def cursor_instant(text: str) -> datetime:
    """The moment that a cursor holds, in UTC; refuses what no cursor of ours holds."""
    try:
        return instant(datetime.fromisoformat(text), "cursor")
    except (ValueError, InvalidInput):
        raise InvalidInput.at("cursor", "not a cursor of this list", hint="Hand back next_cursor unchanged.") from None

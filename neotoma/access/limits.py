"""Rate limits that hold across processes: counted in the database."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import ClassVar

from django.db import connection

from neotoma.access.models import RateWindow
from neotoma.substrate.errors import Refusal


class TooMany(Refusal):
    """The limit of a window is used up; `details.retry_after` is in seconds."""

    error_code: ClassVar[str] = "RATE_LIMITED"
    status = 429
    hint = "Wait, then try again."


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a limit; its window ends in `reset_s` seconds."""

    limit: int
    remaining: int
    reset_s: int


SPENT: ContextVar[Allowance | None] = ContextVar("neotoma_spent", default=None)
"""The limit that the running call counted against, for a surface that tells its caller."""


def take(key: str, *, limit: int, window_s: int, now_s: float) -> None:
    """Count one use of `key` in the current window; refuses once `limit` is passed."""
    window = int(now_s // window_s)
    count, reset_s = _count(key, window), int((window + 1) * window_s - now_s) + 1
    SPENT.set(Allowance(limit, max(limit - count, 0), reset_s))
    if count > limit:
        raise TooMany(
            f"More than {limit} in {window_s} seconds.",
            details={"limit": limit, "window_seconds": window_s, "retry_after": reset_s},
        )


def _count(key: str, window: int) -> int:
    table = connection.ops.quote_name(RateWindow._meta.db_table)
    statement = (
        f"INSERT INTO {table} (key, {connection.ops.quote_name('window')}, count) VALUES (%s, %s, 1) "  # noqa: S608  names only
        f"ON CONFLICT (key, {connection.ops.quote_name('window')}) "
        f"DO UPDATE SET count = {table}.count + 1 RETURNING count"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [key, window])
        row = cursor.fetchone()
    return int(row[0])

"""Statements that PostgreSQL keeps parsed and planned.

Parsing and planning cost it as much as running them does, where a statement touches a row by its key. Only those come
here: a plan that is made without looking at the values is a bad one for searches and lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.backends.utils import CursorWrapper

USES = 3
"""How often a connection runs a statement before it is kept; one-off sizes of a batch never are."""


def execute_kept(cursor: CursorWrapper, sql: str, values: Sequence[Any]) -> None:
    """Run one of the statements that come again and again; where none are kept, as any other."""
    if connection.vendor != "postgresql" or not settings.NEOTOMA_PREPARED_STATEMENTS:
        cursor.execute(sql, values)
        return
    driver = connection.connection
    driver.prepare_threshold = USES
    try:
        cursor.execute(sql, values)
    finally:
        driver.prepare_threshold = None

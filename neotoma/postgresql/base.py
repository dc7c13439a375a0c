"""PostgreSQL without a question before each request: a connection on which nothing has arrived is alive.

A server that ends a connection says so on it, even when it is killed. Django asks with a query of its own, which costs
as much as finding a row; here only a connection that has something to say is asked.
"""

from __future__ import annotations

import select
from typing import Any

import psycopg
from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """As Django's, but for when it asks a connection whether it still works."""

    health_check_done: bool

    def close_if_health_check_failed(self) -> None:
        """Closes a connection that the server has ended, so that the next statement opens a new one."""
        if self.connection is not None and not self.health_check_done:
            self.health_check_done = _is_silent(self.connection)
        super().close_if_health_check_failed()


def _is_silent(connection: psycopg.Connection[Any]) -> bool:
    """Whether it is open and nothing is there to read, the server's end of it included."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return not poll.poll(0)

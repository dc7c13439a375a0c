"""SQLite for many writers: threads of a process queue for one turn, processes look for theirs ten times a millisecond.

A transaction takes its turn with its first statement: what is computed before it holds up nobody.

SQLite's own way to wait sleeps longer the longer it has waited, up to a tenth of a second, while most writes take two
milliseconds: the database idles, and who came last is served first.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from typing import Any, Final

from django.db import OperationalError
from django.db.backends.sqlite3 import base
from django.db.backends.utils import debug_transaction

_LOOK_AGAIN_S: Final = 0.0001
_turns: Final[dict[str, threading.Lock]] = {}
"""Of this process, by the file they are for."""
# A child starts without the threads of its parent, one of which may have had a turn.
os.register_at_fork(after_in_child=_turns.clear)


class DatabaseWrapper(base.DatabaseWrapper):
    """Holds the turn of its process from a transaction's first statement to its end.

    That statement raises OperationalError, as SQLite does, when no turn came within the connection's `timeout` seconds.
    """

    _to_begin = False
    _held: threading.Lock | None = None

    def _start_transaction_under_autocommit(self) -> None:
        self._to_begin = True

    def create_cursor(self, name: Any = None) -> Any:
        if self._to_begin:
            self._to_begin = False
            self._take_turn()
        return super().create_cursor(name)

    def _take_turn(self) -> None:
        limit_s = self.settings_dict["OPTIONS"].get("timeout", 5)
        until, turn = time.monotonic() + limit_s, _turns.setdefault(str(self.settings_dict["NAME"]), threading.Lock())
        if not turn.acquire(timeout=limit_s):
            raise OperationalError("database is locked")
        self._held = turn
        try:
            self._begin(until, limit_s)
        except BaseException:
            self._let_go()
            raise

    def _begin(self, until: float, limit_s: float) -> None:
        begin = f"BEGIN {self.transaction_mode or ''}"  # type: ignore[attr-defined]  # not in the stubs
        with debug_transaction(self, begin), self.wrap_database_errors:
            self.connection.execute("PRAGMA busy_timeout = 0")
            try:
                while not self._began(begin, until):
                    time.sleep(_LOOK_AGAIN_S)
            finally:
                self.connection.execute(f"PRAGMA busy_timeout = {round(limit_s * 1000)}")

    def _began(self, begin: str, until: float) -> bool:
        try:
            self.connection.execute(begin)  # past Django's cursor, which costs more than the look itself
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= until:
                raise
            return False
        return True

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]  # the stubs have no such methods
        self._let_go()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]  # the stubs have no such methods
        finally:
            self._let_go()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]  # the stubs have no such methods
        finally:
            self._let_go()

    def _let_go(self) -> None:
        self._to_begin = False
        if self._held is not None:
            self._held.release()
            self._held = None

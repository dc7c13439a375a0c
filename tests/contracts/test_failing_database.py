"""Every write, with the database failing at each of its statements in turn: nothing is left of it, and it can be
repeated under its key. What is tried comes from the access matrix, so that no operation is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, OperationalError, connection, transaction

from neotoma.access.authenticate import from_header
from neotoma.operations.invoke import Busy, Caller, call
from neotoma.operations.registry import operations
from tests.contracts.access_matrix import EXAMPLES
from tests.contracts.world import World, build

pytestmark = pytest.mark.django_db

WRITES = [op.name for op in operations().values() if op.effect == "write"]
MOST = 200
"""Statements of one call; the largest has a third of it."""
Tables = dict[str, list[tuple[Any, ...]]]


class Failed(DatabaseError):
    """What no code of ours expects."""


class FailsAt:
    """Lets statements through but for the one of that number; what opens and ends transactions does not count."""

    def __init__(self, number: int, error: type[DatabaseError]) -> None:
        self.number, self.error, self.count = number, error, 0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(("SAVEPOINT", "RELEASE", "ROLLBACK")):
            self.count += 1
            if self.count == self.number:
                raise self.error(f"database is locked, at statement {self.number}: {sql[:60]}")
        return execute(sql, params, many, context)


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def stored() -> Tables:
    """Every row of every table."""
    found = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            table = connection.ops.quote_name(model._meta.db_table)
            cursor.execute(f"SELECT * FROM {table}")  # noqa: S608  tables of ours
            found[model._meta.db_table] = sorted(cursor.fetchall(), key=repr)
    return found


def lengths(tables: Tables) -> dict[str, int]:
    return {name: len(rows) for name, rows in tables.items()}


def arguments(name: str, world: World) -> dict[str, Any]:
    keyed = "idempotency_key" in operations()[name].params.model_fields
    return {**EXAMPLES[name](world), **({"idempotency_key": "the key of this call"} if keyed else {})}


def do(world: World, name: str, given: dict[str, Any], fails_at: int = 0, error: type[DatabaseError] = Failed) -> int:
    """Call it as the operator; how many statements it took."""
    caller = Caller(from_header(f"Bearer {world.tokens['operator']}"), "rest")
    wrapper = FailsAt(fails_at, error)
    with connection.execute_wrapper(wrapper):
        call(name, given, caller)
    return wrapper.count


def test_a_write_is_done_whole_or_not_at_all_wherever_the_database_fails() -> None:
    world = build()
    wrong = {name: problem for name in WRITES if (problem := _problem(world, name)) is not None}
    assert wrong == {}


def test_a_lock_that_is_held_for_a_moment_is_waited_for_or_the_caller_is_told() -> None:
    world = build()
    wrong = {name: problem for name in WRITES if (problem := _problem_of_a_lock(world, name)) is not None}
    assert wrong == {}


def _problem(world: World, name: str) -> str | None:
    given, before = arguments(name, world), stored()
    with undone():
        do(world, name, given)
        whole = lengths(stored())
    with undone():
        for number in range(1, MOST):
            try:
                statements = do(world, name, given, fails_at=number)
            except Failed as failure:
                if stored() != before:
                    return f"{failure}: something is left"
                continue
            if statements >= number:
                return f"statement {number}: its failure went unnoticed"
            break
        else:
            return f"more than {MOST} statements"
        after = stored()
        if lengths(after) != whole:
            return "the repeat did not do the same as a first call"
        if "idempotency_key" in given:
            do(world, name, given)
            if stored() != after:
                return "the key was not kept"
    return None


def _problem_of_a_lock(world: World, name: str) -> str | None:
    given, before = arguments(name, world), stored()
    with undone():
        statements = do(world, name, given)
        whole = lengths(stored())
    for number in range(1, statements + 1):
        with undone():
            try:
                do(world, name, given, fails_at=number, error=OperationalError)
            except Busy:
                if stored() != before:
                    return f"statement {number}: refused as busy, but something is left"
            else:
                if lengths(stored()) != whole:
                    return f"statement {number}: tried again, but not the same was done"
    return None

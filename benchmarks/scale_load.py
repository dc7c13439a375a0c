"""Filling a migrated database with entities by their thousands: COPY on PostgreSQL, many rows a statement on SQLite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from multiprocessing import get_context
from typing import Any

from django.db import connection, connections, models, transaction

from benchmarks.scale_rows import TICKET, rows_at
from neotoma.access.authenticate import from_api_token
from neotoma.access.bootstrap import mint
from neotoma.operations.invoke import Caller, call
from neotoma.substrate import catalogue

CHUNK = 10_000
"""Entities a transaction."""


def load(size: int, progress: Callable[[int], None] = lambda done: None) -> None:
    """Entities 0 to `size` with all that belongs to them, settled down."""
    call("register_entity_type", TICKET, _operator())
    for part in _parts(size):
        load_part(part)
        progress(part.stop)
    settle_down()


def load_at_once(size: int, processes: int, progress: Callable[[int], None]) -> None:
    """The same by several processes on PostgreSQL, as its superuser: chunks come in any order, so references are not
    checked meanwhile. They are the ones that `load` has checked in tests.
    """
    call("register_entity_type", TICKET, _operator())
    connections.close_all()  # a process that is forked off must not share one
    with get_context("fork").Pool(processes) as pool:
        for done, _ in enumerate(pool.imap_unordered(_load_part_unchecked, _parts(size)), 1):
            progress(min(size, done * CHUNK))
    settle_down()


def load_part(part: range) -> None:
    """Some entities with all that belongs to them, in one transaction."""
    with transaction.atomic(), catalogue.looked_up_once():
        _insert(row for number in part for row in rows_at(number))


def _load_part_unchecked(part: range) -> None:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
        load_part(part)


def _parts(size: int) -> list[range]:
    return [range(start, min(size, start + CHUNK)) for start in range(0, size, CHUNK)]


def settle_down() -> None:
    """What PostgreSQL does by itself in time: statistics, and full-text entries into their index."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            key = _serial_key(cursor, table)
            if key:
                cursor.execute(f"SELECT setval('{key[0]}', GREATEST((SELECT max({key[1]}) FROM {table}), 1))")  # noqa: S608
        cursor.execute("VACUUM ANALYZE" if connection.get_autocommit() else "ANALYZE")


def _serial_key(cursor: Any, table: str) -> tuple[str, str] | None:
    """The sequence of a table's key and its column, if it has one; rows that bring their key do not advance it."""
    for found in connection.introspection.get_sequences(cursor, table):
        return found["name"] or f"{table}_{found['column']}_seq", found["column"]
    return None


def _operator() -> Caller:
    from django.contrib.auth import get_user_model

    user, _ = get_user_model().objects.get_or_create(username="loader", is_superuser=True, is_staff=True)
    return Caller(from_api_token(mint(user=user, scopes=["operate"])), "rest")


def _insert(rows: Iterable[models.Model]) -> None:
    """Each model's rows together, in the order in which the models first come."""
    by_model: dict[type[models.Model], list[list[Any]]] = {}
    for row in rows:
        held = row.__dict__
        values = [adapt(held[name]) if adapt else held[name] for name, adapt in _columns(type(row))[1]]
        by_model.setdefault(type(row), []).append(values)
    for model, lines in by_model.items():
        _write(model._meta.db_table, _columns(model)[0], lines)


@cache
def _columns(model: type[models.Model]) -> tuple[list[str], list[tuple[str, Callable[[Any], Any] | None]]]:
    """Columns, and for each the attribute with what brings its values into the database's form; no generated keys
    but those that the rows bring along.
    """
    fields = [field for field in model._meta.concrete_fields if not _is_left_out(model, field)]
    return [str(field.column) for field in fields], [(field.attname, _adapter(field)) for field in fields]


def _is_left_out(model: type[models.Model], field: Any) -> bool:
    return field.primary_key and isinstance(field, models.AutoField) and model._meta.object_name in _UNKEYED


_UNKEYED = ("SearchDocument", "FieldValue", "RelationshipObservation")


def _adapter(field: Any) -> Callable[[Any], Any] | None:
    operations = connection.ops
    if isinstance(field, models.JSONField):
        return lambda value: None if value is None else operations.adapt_json_value(value, None)
    if isinstance(field, models.DateTimeField):
        return lambda value: None if value is None else operations.adapt_datetimefield_value(value)
    return None


def _write(table: str, columns: Sequence[str], lines: Sequence[Sequence[Any]]) -> None:
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
                for line in lines:
                    copy.write_row(line)
        else:
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', lines)  # noqa: S608  our own names

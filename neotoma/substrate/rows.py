"""Writing rows with one prepared statement a table.

`bulk_create` and `save` compile their SQL anew for each call, which costs more than the database's own work when one
write touches a dozen tables. The statements here are built once a table and number of rows; values go through
Django's own fields wherever the database's form differs from Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.db import connection, models

from neotoma.substrate.statements import execute_kept

_CHUNK = 100
"""Rows a statement; SQLite takes 32,766 parameters, and no table here has 300 columns."""


def insert(rows: Sequence[models.Model]) -> None:
    """Insert new rows of one model, every column set, and set their generated keys; raises IntegrityError."""
    for chunk in _chunks(rows):
        model = type(chunk[0])
        _run(chunk, _insert_statement(model, len(chunk)), returning=_generated(model))


def upsert(rows: Sequence[models.Model]) -> None:
    """Insert rows whose key is given, or bring the rows that have it to the same values."""
    for chunk in _chunks(rows):
        model = type(chunk[0])
        _run(chunk, _insert_statement(model, len(chunk)) + _overwrite(model), returning=False)


def update(row: models.Model) -> None:
    """Write every column of one stored row."""
    model = type(row)
    with connection.cursor() as cursor:
        execute_kept(cursor, _update_statement(model), [*_values(row, _changeable(model)), row.pk])


def _chunks(rows: Sequence[models.Model]) -> list[Sequence[models.Model]]:
    return [rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK)]


def _run(rows: Sequence[models.Model], statement: str, *, returning: bool) -> None:
    model = type(rows[0])
    values = [value for row in rows for value in _values(row, _fields(model))]
    with connection.cursor() as cursor:
        if returning:
            execute_kept(cursor, f"{statement} RETURNING {_quoted(model._meta.pk.column)}", values)
            for row, (key,) in zip(rows, cursor.fetchall(), strict=True):
                row.pk = key
        else:
            execute_kept(cursor, statement, values)
    for row in rows:
        row._state.adding, row._state.db = False, connection.alias


def _values(row: models.Model, fields: tuple[models.Field[Any, Any], ...]) -> list[Any]:
    held = row.__dict__
    return [
        adapt(value) if adapt and (value := held[name]) is not None else held[name] for name, adapt in _adapters(fields)
    ]


@cache
def _adapters(fields: tuple[models.Field[Any, Any], ...]) -> list[tuple[str, Callable[[Any], Any] | None]]:
    """Attribute of each field, and what turns its values into the database's form where that differs."""
    return [(field.attname, _adapter(field)) for field in fields]


def _adapter(field: models.Field[Any, Any]) -> Callable[[Any], Any] | None:
    operations = connection.ops
    if isinstance(field, models.DateTimeField):
        return operations.adapt_datetimefield_value
    if isinstance(field, models.JSONField):
        return lambda value: operations.adapt_json_value(value, None)
    return None


@cache
def _fields(model: type[models.Model]) -> tuple[models.Field[Any, Any], ...]:
    generated = _generated(model)
    return tuple(field for field in model._meta.concrete_fields if not (field.primary_key and generated))


@cache
def _changeable(model: type[models.Model]) -> tuple[models.Field[Any, Any], ...]:
    return tuple(field for field in model._meta.concrete_fields if not field.primary_key)


def _generated(model: type[models.Model]) -> bool:
    return isinstance(model._meta.pk, models.AutoField)


def _quoted(name: str | None) -> str:
    return connection.ops.quote_name(str(name))  # only abstract fields have no column


@cache
def _insert_statement(model: type[models.Model], count: int) -> str:
    fields = _fields(model)
    columns = ", ".join(_quoted(field.column) for field in fields)
    one = "(" + ", ".join(["%s"] * len(fields)) + ")"
    rows = ", ".join([one] * count)
    return f"INSERT INTO {_quoted(model._meta.db_table)} ({columns}) VALUES {rows}"  # noqa: S608  names of our tables


@cache
def _overwrite(model: type[models.Model]) -> str:
    columns = [_quoted(field.column) for field in _changeable(model)]
    assigned = ", ".join(f"{column} = excluded.{column}" for column in columns)
    return f" ON CONFLICT ({_quoted(model._meta.pk.column)}) DO UPDATE SET {assigned}"


@cache
def _update_statement(model: type[models.Model]) -> str:
    assigned = ", ".join(f"{_quoted(field.column)} = %s" for field in _changeable(model))
    table, key = _quoted(model._meta.db_table), _quoted(model._meta.pk.column)
    return f"UPDATE {table} SET {assigned} WHERE {key} = %s"  # noqa: S608  names of our own tables

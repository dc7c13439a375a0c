"""Reads that are compiled once.

Django builds and compiles a queryset anew for each call, which takes ten times as long as SQLite needs to answer it.
`@prepared` keeps what was compiled, by the shape of the arguments, and then only puts in new values:

    @prepared
    def issues_numbered(audience: Audience, number: int) -> QuerySet[Issue]:
        return Issue.objects.visible_to(audience).filter(number=number)

    issues_numbered(context.audience, 7)  # a list of issues

The function is called with stand-ins, once a shape, so it may look at whether a text, number or collection is there,
never at what it is. They are compared with columns; a lookup that changes its value on the way, such as `contains`, is
refused with a TypeError when it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import update_wrapper
from itertools import count
from typing import Any, Generic, ParamSpec, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet
from django.db.models.query import FlatValuesListIterable, ModelIterable, get_related_populators
from django.db.models.sql.compiler import SQLCompiler

from neotoma.substrate.standins import LARGEST, is_altered, place_of, stand_in, taken_out
from neotoma.substrate.statements import execute_kept

P = ParamSpec("P")
Row = TypeVar("Row")
Answer = Iterable[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class _Statement:
    """`places` are (position among the parameters, number of the value); `read` makes rows of the answer."""

    sql: str
    parameters: tuple[Any, ...]
    places: tuple[tuple[int, int], ...]
    read: Callable[[Answer], list[Any]]


class Prepared(Generic[P, Row]):
    """A function from arguments to rows, compiled once for each shape of its arguments; made by `prepared`."""

    def __init__(self, build: Callable[P, QuerySet[Any, Row]]) -> None:
        self._build: Callable[..., QuerySet[Any, Row]] = build
        update_wrapper(self, build)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[Row]:
        values: list[str | int] = []
        shape = tuple([taken_out(argument, values) for argument in args])
        named = tuple([(name, taken_out(argument, values)) for name, argument in kwargs.items()])
        if any(isinstance(value, int) and abs(value) >= LARGEST for value in values):
            return list(self._build(*args, **kwargs))  # Django knows which columns hold such numbers
        connection = connections[DEFAULT_DB_ALIAS]
        # Kept with the connection, since what turns values into Python's belongs to it.
        held: dict[Any, _Statement | None] = connection.__dict__.setdefault("prepared_reads", {})
        key = (self, shape, named)
        if key not in held:
            held[key] = self._compile(connection, shape, named)
        statement = held[key]
        if statement is None:
            return []
        parameters = list(statement.parameters)
        for position, number in statement.places:
            parameters[position] = values[number]
        with connection.cursor() as cursor:
            execute_kept(cursor, statement.sql, parameters)
            return statement.read(cursor.fetchall())

    def _compile(self, connection: Any, shape: Sequence[Any], named: Sequence[tuple[str, Any]]) -> _Statement | None:
        """None when arguments of this shape match nothing, whatever they are."""
        numbers = count()
        args = [stand_in(part, numbers) for part in shape]
        query = self._build(*args, **{name: stand_in(part, numbers) for name, part in named})
        compiler = query.query.get_compiler(connection=connection)
        try:
            sql, parameters = compiler.as_sql()
        except EmptyResultSet:
            return None
        places = tuple((at, number) for at, one in enumerate(parameters) if (number := place_of(one)) is not None)
        if any(is_altered(part) for part in (sql, *parameters)):
            raise TypeError(f"{self._build.__qualname__}: a lookup changes the value that it is given")
        return _Statement(sql, tuple(parameters), places, _reader(query, compiler))


def prepared(build: Callable[P, QuerySet[Any, Row]]) -> Prepared[P, Row]:
    """Turn a function that builds a queryset into one that answers its rows; see the module."""
    return Prepared(build)


def _reader(query: QuerySet[Any, Any], compiler: SQLCompiler) -> Callable[[Answer], list[Any]]:
    """From what the database answers to instances with their related ones, or to the values that were asked for."""
    converters = compiler.get_converters([column[0] for column in compiler.select])

    def converted(answer: Answer) -> Answer:
        return compiler.apply_converters(answer, converters) if converters else answer

    if query._iterable_class is ModelIterable:
        make = _maker(compiler)
        return lambda answer: [make(row) for row in converted(answer)]
    if query._iterable_class is FlatValuesListIterable:
        return lambda answer: [row[0] for row in converted(answer)]
    return lambda answer: [tuple(row) for row in converted(answer)]


def _maker(compiler: SQLCompiler) -> Callable[[Sequence[Any]], Any]:
    model, columns = compiler.klass_info["model"], compiler.klass_info["select_fields"]
    start, end = columns[0], columns[-1] + 1
    names = [column[0].target.attname for column in compiler.select[start:end]]
    related = get_related_populators(compiler.klass_info, compiler.select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]  # Django 6's

    def make(row: Sequence[Any]) -> Any:
        instance = model.from_db(DEFAULT_DB_ALIAS, names, row[start:end])
        for populator in related:
            populator.populate(row, instance)
        return instance

    return make

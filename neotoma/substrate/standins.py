"""Taking values out of arguments and putting stand-ins in their place. Pure; see `prepared` for the use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any

LARGEST = 2_140_000_000
"""Numbers from here on, within every integer column, are stand-ins; arguments have to be smaller."""
_TEXT = "stand-in\x1f"
_ALTERED_NUMBER = re.compile(rf"{LARGEST // 1000}\d\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class _Record:
    """The shape of a collection or a frozen dataclass: its class and the shapes of its parts."""

    kind: type[Any]
    parts: tuple[Any, ...]


def taken_out(argument: Any, values: list[str | int]) -> Any:
    """The hashable shape that stays of an argument when its texts and numbers are added to `values`, in order.

    None, booleans and the empty text stay in the shape. A collection is filled up to a power of two with its last
    value, so that it has few shapes: it may only be used as a set. Raises TypeError for anything else.
    """
    if argument is None or argument == "" or isinstance(argument, bool):
        return argument
    if isinstance(argument, str | int):
        values.append(argument)
        return str if isinstance(argument, str) else int
    if isinstance(argument, list | tuple | set | frozenset):
        return _Record(list, tuple([taken_out(part, values) for part in _filled_up(list(argument))]))
    if is_dataclass(argument):
        return _Record(type(argument), tuple([taken_out(part, values) for part in _parts(argument)]))
    raise TypeError(f"{type(argument).__name__} cannot be an argument of a prepared read")


def stand_in(shape: Any, numbers: Iterator[int]) -> Any:
    """An argument of this shape whose texts and numbers `place_of` recognises; `numbers` counts them from 0."""
    if shape is str:
        return f"{_TEXT}{next(numbers)}"
    if shape is int:
        return LARGEST + next(numbers)
    if isinstance(shape, _Record):
        parts = [stand_in(part, numbers) for part in shape.parts]
        return parts if shape.kind is list else shape.kind(*parts)
    return shape


def place_of(parameter: Any) -> int | None:
    """Which stand-in a parameter is; None when it is none."""
    if isinstance(parameter, str) and parameter.startswith(_TEXT):
        return int(parameter.removeprefix(_TEXT))
    if isinstance(parameter, int) and parameter >= LARGEST:
        return parameter - LARGEST
    return None


def is_altered(part: Any) -> bool:
    """Whether a parameter or a statement holds a stand-in that is no longer itself."""
    return place_of(part) is None and (_TEXT in str(part) or _ALTERED_NUMBER.search(str(part)) is not None)


def _filled_up(parts: list[Any]) -> list[Any]:
    wanted = 1 << (len(parts) - 1).bit_length() if parts else 0
    return parts + parts[-1:] * (wanted - len(parts))


def _parts(record: Any) -> list[Any]:
    return [getattr(record, name) for name in _names(record.__class__)]


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))

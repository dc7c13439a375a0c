"""How JSON values are compared: pure, and the one meaning of every filter."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from neotoma.substrate.canonical import canonical_json, same

Kind = Literal["number", "text", "json"]
KINDS: Final[tuple[Kind, ...]] = ("number", "text", "json")
"""Values of different kinds are never equal, greater or less; lists put them in this order."""
ORDERING: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "gt": operator.gt,
    "lt": operator.lt,
    "gte": operator.ge,
    "lte": operator.le,
}


def kind_of(value: Any) -> Kind:
    """`json`: true, false, lists and objects, which have no order that means anything."""
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else "json"


def compare(current: Any, op: str, value: Any) -> bool:
    """Whether a value, None where there is none, meets a condition."""
    if op == "eq":
        return same(current, value)
    if op == "in":
        return any(same(current, one) for one in value)
    if op == "contains":
        return _contains(current, value)
    kind = kind_of(current)
    return kind != "json" and kind == kind_of(value) and ORDERING[op](current, value)


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(value)


def folded(value: str) -> str:
    """A text as `contains` looks at it: without case."""
    return value.casefold()


def _contains(current: Any, value: Any) -> bool:
    """A list holds it as an element, a text as a part, whatever the case."""
    if isinstance(current, list):
        return any(same(one, value) for one in current)
    return isinstance(current, str) and isinstance(value, str) and folded(value) in folded(current)

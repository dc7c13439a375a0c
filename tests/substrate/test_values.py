from __future__ import annotations

from typing import Any

import pytest

from neotoma.substrate.values import compare, kind_of


@pytest.mark.parametrize(
    ("value", "kind"),
    [("1", "text"), (1, "number"), (1.5, "number"), (True, "json"), (None, "json"), ([1], "json"), ({"a": 1}, "json")],
)
def test_every_value_is_of_one_kind(value: Any, kind: str) -> None:
    assert kind_of(value) == kind


@pytest.mark.parametrize(
    ("current", "op", "value", "meets"),
    [
        (1, "eq", 1.0, True),
        (True, "eq", 1, False),
        ("1", "eq", 1, False),
        (None, "eq", None, True),
        ([1, 2], "eq", [1, 2], True),
        (1, "in", ["a", 1], True),
        (True, "in", [1], False),
        (None, "in", [None], True),
        (2, "gt", 1, True),
        ("10", "gt", "9", False),
        ("a", "gt", 1, False),
        (None, "lte", 1, False),
        (True, "gte", False, False),
        ("Straße", "contains", "STRASSE", True),
        ("abc", "contains", "x", False),
        (["abc"], "contains", "abc", True),
        (["abc"], "contains", "b", False),
        ([1, True], "contains", 1, True),
        ([True], "contains", 1, False),
        (12, "contains", 1, False),
    ],
)
def test_what_meets_a_condition(current: Any, op: str, value: Any, meets: bool) -> None:
    assert compare(current, op, value) is meets

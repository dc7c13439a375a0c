from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.json import Unstorable
from neotoma.operations.mcp.arguments import unwrapped
from neotoma.operations.mcp.schemas import input_schema
from tests.operations.mcp.fakes import MakeParams

SCHEMA = input_schema(MakeParams)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"tags": '["a", "b"]'}, {"tags": ["a", "b"]}),
        ({"box": '{"width": 3}'}, {"box": {"width": 3}}),
        ({"boxes": ['{"width": 3}', {"width": 4}]}, {"boxes": [{"width": 3}, {"width": 4}]}),
        ({"boxes": '["{\\"width\\": 3}"]'}, {"boxes": [{"width": 3}]}),
        ({"facts": '{"a": "[1]"}'}, {"facts": {"a": "[1]"}}),
        ({"name": '["a"]'}, {"name": '["a"]'}),
        ({"tags": "a, b"}, {"tags": "a, b"}),
        ({"tags": '{"a": 1}'}, {"tags": '{"a": 1}'}),
        ({"unknown": "[1]"}, {"unknown": "[1]"}),
        ({"number": "[1]"}, {"number": "[1]"}),
    ],
)
def test_strings_are_opened_where_an_array_or_an_object_is_declared(given: Any, meant: Any) -> None:
    assert unwrapped(given, SCHEMA) == meant


def test_what_is_inside_a_string_is_decoded_as_strictly() -> None:
    with pytest.raises(Unstorable):
        unwrapped({"tags": '["a\\u0000"]'}, SCHEMA)

"""Arguments that arrive as text."""

from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations import texts
from neotoma.substrate.errors import InvalidInput
from tests.support.toys import FindParams


def test_forms_follow_the_declaration() -> None:
    assert texts.forms(FindParams) == {
        "response_format": "scalar",
        "limit": "scalar",
        "cursor": "scalar",
        "tags": "array",
        "size": "object",
        "filters": "object",
        "open": "scalar",
        "order": "scalar",
    }


@pytest.mark.parametrize(
    ("form", "given", "value"),
    [
        ("scalar", ["7"], "7"),
        ("array", ["a", "b"], ["a", "b"]),
        ("array", ["a,b"], ["a,b"]),
        ("array", ['["a", "[b"]'], ["a", "[b"]),
        ("array", ["[]"], []),
        ("object", ['{"a": 1}'], {"a": 1}),
    ],
)
def test_values(form: texts.Form, given: list[str], value: Any) -> None:
    assert texts.argument("x", form, given) == value


@pytest.mark.parametrize(
    ("form", "given"),
    [
        ("scalar", ["a", "b"]),
        ("array", ["[a"]),
        ("object", ["a"]),
        ("object", ["[]"]),
        ("object", ["{}", "{}"]),
        ("object", ['{"a": NaN}']),
        ("object", ['{"a": "\udc80"}']),
    ],
)
def test_refusals_name_the_argument(form: texts.Form, given: list[str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        texts.argument("x", form, given)
    assert refused.value.details["fields"][0]["path"] == "x"

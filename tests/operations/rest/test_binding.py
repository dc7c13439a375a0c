"""From a request to arguments."""

from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.json import Malformed
from neotoma.operations.registry import find
from neotoma.operations.rest import binding
from neotoma.substrate.errors import InvalidInput, Refusal
from tests.support.toys import toys


def _bind(name: str, **given: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {"path": {}, "query": {}, "body": {}, "idempotency_key": None, **given}
    with toys():
        op = find(name)
        assert op is not None
        return binding.arguments(op, **whole)


def test_everything_comes_together() -> None:
    bound = _bind("remark_toy", path={"issue": "7"}, body={"body": "b"}, idempotency_key="k")
    assert bound == {"issue_number": 7, "body": "b", "idempotency_key": "k"}


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("0012", {"issue_number": 12}),
        ("ent_0", {"entity_id": "ent_0"}),
        ("-1", {"entity_id": "-1"}),
        ("١٢", {"entity_id": "١٢"}),
        ("9" * 19, {"entity_id": "9" * 19}),
    ],
)
def test_an_issue_is_a_plain_number_or_an_id(text: str, bound: dict[str, Any]) -> None:
    assert binding.from_path({"issue": text}) == bound


def test_names_that_no_parameter_has_are_left_for_validation() -> None:
    assert _bind("get_toy", query={"nme": ["x"]}) == {"nme": "x"}


@pytest.mark.parametrize("body", [[], "text", None, 1])
def test_a_body_is_an_object(body: object) -> None:
    with pytest.raises(Malformed):
        _bind("make_toy", body=body)


@pytest.mark.parametrize(
    "given",
    [
        {"path": {"name": "a"}, "query": {"name": ["b"]}},
        {"query": {"name": ["a", "a"]}},
        {"query": {"name": ["a"]}, "body": {"name": "b"}},
    ],
)
def test_one_name_has_one_value(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        _bind("get_toy", **given)
    assert refused.value.details["fields"][0]["path"] == "name"


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_no_database_keeps_is_refused_before_it(text: str) -> None:
    with pytest.raises(Refusal) as refused:
        _bind("get_toy", path={"name": text})
    assert refused.value.details["fields"][0]["path"] == "name"

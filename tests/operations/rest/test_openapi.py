"""The OpenAPI document follows the declarations and is valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis

from neotoma.operations.registry import operations
from neotoma.operations.rest.openapi import document
from tests.support.toys import toys


@pytest.fixture
def made() -> Iterator[dict[str, Any]]:
    with toys() as known:
        yield document(known.values(), version="1.0", base_url="https://toys.example")


def _entry(made: dict[str, Any], name: str) -> dict[str, Any]:
    [found] = [entry for path in made["paths"].values() for entry in path.values() if entry["operationId"] == name]
    assert isinstance(found, dict)
    return found


def test_it_is_valid(made: dict[str, Any]) -> None:
    assert schemathesis.openapi.from_dict(made).validate() is None
    real = document(operations().values(), version="1.0", base_url="https://toys.example")
    assert schemathesis.openapi.from_dict(real).validate() is None


def test_every_reference_leads_somewhere(made: dict[str, Any]) -> None:
    def references(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            yield from (value for key, value in node.items() if key == "$ref")
            node = list(node.values())
        if isinstance(node, list):
            for inner in node:
                yield from references(inner)

    found = set(references(made))
    for reference in found:
        _, _, kind, name = reference.split("/")
        assert name in made["components"][kind], reference
    assert len(found) > 10


def test_a_body_holds_what_the_path_does_not(made: dict[str, Any]) -> None:
    entry = _entry(made, "remark_toy")
    body = entry["requestBody"]["content"]["application/json"]["schema"]
    assert [parameter["name"] for parameter in entry["parameters"]] == ["issue", "Idempotency-Key"]
    assert sorted(body["properties"]) == ["body", "guest_access_token", "idempotency_key"]
    assert body["required"] == ["body"] and body["additionalProperties"] is False


def test_a_query_has_no_null(made: dict[str, Any]) -> None:
    parameters = {entry["name"]: entry for entry in _entry(made, "find_toys")["parameters"]}
    assert parameters["tags"]["schema"] == {"type": "array", "items": {"type": "string"}}
    assert parameters["limit"]["schema"]["maximum"] == 100
    assert parameters["filters"]["content"]["application/json"]["schema"]["type"] == "object"
    assert parameters["size"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Size"}


def test_answers_and_refusals(made: dict[str, Any]) -> None:
    entry = _entry(made, "make_toy")
    assert entry["responses"]["201"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Echo"}
    assert entry["responses"]["409"] == {"$ref": "#/components/responses/Refused409"}
    assert (entry["x-risk"], entry["x-undo"], entry["x-scopes"]) == ("low", "remove_toy", ["write"])
    assert "304" in _entry(made, "find_toys")["responses"] and "304" not in entry["responses"]


def test_who_may_come_without_a_token(made: dict[str, Any]) -> None:
    assert _entry(made, "make_toy")["security"] == [{"bearer": []}]
    assert _entry(made, "find_toys")["security"] == [{"bearer": []}, {}]

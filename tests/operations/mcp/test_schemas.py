from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from neotoma.operations.mcp.schemas import input_schema, output_schema
from neotoma.operations.registry import Operation, operations
from tests.operations.mcp.fakes import BOXES, Made, MakeParams

EVERY = {**operations(), **BOXES}.values()


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema within a schema, itself included; names of properties are not keywords."""
    if not isinstance(schema, dict):
        return
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from nodes(inner)
    for key in ("items", "additionalProperties"):
        yield from nodes(schema.get(key))
    for key in ("anyOf", "oneOf", "allOf"):
        for inner in schema.get(key, []):
            yield from nodes(inner)


def test_a_schema_is_flat() -> None:
    assert input_schema(MakeParams) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 40, "description": "Name of the box. Example: red"},
            "kind": {
                "type": "string",
                "enum": ["open", "shut"],
                "default": "open",
                "description": "Whether it has a lid.",
            },
            "only": {"type": "string", "enum": ["one"], "description": "A single choice."},
            "box": {
                "type": "object",
                "description": "The box itself.",
                "properties": {
                    "width": {"type": "integer", "minimum": 1, "description": "Width in cm. Example: 3"},
                    "inner": {"type": "object", "description": "A box within."},
                },
                "required": ["width"],
                "additionalProperties": False,
            },
            "boxes": {
                "type": "array",
                "description": "More of them.",
                "items": {
                    "type": "object",
                    "description": "A box of some size.",
                    "properties": {
                        "width": {"type": "integer", "minimum": 1, "description": "Width in cm. Example: 3"},
                        "inner": {"type": "object", "description": "A box within."},
                    },
                    "required": ["width"],
                    "additionalProperties": False,
                },
            },
            "tags": {"type": "array", "items": {"type": "string"}, "description": "Words."},
            "facts": {"type": "object", "description": "Whatever else."},
            "number": {"anyOf": [{"type": "integer"}, {"type": "string"}], "description": "A number or its text."},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_a_result_is_described_one_level_deep_and_lets_a_refusal_pass() -> None:
    assert output_schema(Made) == {
        "type": "object",
        "properties": {
            "given": {"type": "object"},
            "boxes": {"type": "array", "items": {"type": "object"}},
            "role": {"type": "string"},
            "note": {"type": "string"},
        },
    }


@pytest.mark.parametrize("op", EVERY, ids=lambda op: op.name)
def test_no_schema_has_what_clients_refuse(op: Operation) -> None:
    schema = input_schema(op.params)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert not {"anyOf", "oneOf", "allOf", "if"} & set(schema)
    for node in nodes(schema):
        assert not {"$ref", "$defs", "title", "const", "examples", "discriminator"} & set(node), node
        assert node.get("type") != "null" and not isinstance(node.get("type"), list), node
        assert node.get("type") != "array" or node["items"].keys() & {"type", "anyOf"}, node


@pytest.mark.parametrize("op", EVERY, ids=lambda op: op.name)
def test_every_parameter_is_described(op: Operation) -> None:
    for name, schema in input_schema(op.params)["properties"].items():
        assert schema.get("description"), name

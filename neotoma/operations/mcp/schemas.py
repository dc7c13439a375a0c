"""From a pydantic model to the plain JSON schema that every client takes. Pure.

Clients and model providers refuse a whole list of tools for one `$ref`, one union at the top or one nullable type; so
everything is inlined, what is optional is left out instead of null, and each constant is an enum.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

_DROPPED = frozenset({"$defs", "title", "discriminator", "examples", "const", "default"})
_REFUSAL_FIELDS = frozenset({"error_code", "message", "hint", "details", "request_id"})


def input_schema(model: type[BaseModel]) -> Schema:
    """An object schema with each parameter inlined; unknown arguments are closed out."""
    raw = model.model_json_schema()
    flat = _flat(raw, raw.get("$defs", {}), ())
    schema = {"type": "object", "properties": flat.get("properties", {})}
    if "required" in flat:
        schema["required"] = flat["required"]
    return {**schema, "additionalProperties": False}


def output_schema(model: type[BaseModel]) -> Schema:
    """The names and types of the result's fields, one level deep.

    Nothing is required and nothing is closed out: some clients check refusals against it too, and a refusal has other
    fields. For the same reason its fields are not typed here.
    """
    raw = model.model_json_schema(mode="serialization")
    flat = _flat(raw, raw.get("$defs", {}), ())
    fields = flat.get("properties", {})
    return {
        "type": "object",
        "properties": {name: _shallow(inner) for name, inner in fields.items() if name not in _REFUSAL_FIELDS},
    }


def _shallow(schema: Schema) -> Schema:
    kind = schema.get("type")
    if kind is None:
        return {}
    item = schema.get("items", {}).get("type") if kind == "array" else None
    return {"type": kind, "items": {"type": item}} if item else {"type": kind}


def _flat(node: Schema, defs: Mapping[str, Schema], within: tuple[str, ...]) -> Schema:
    """The node without references, titles, nulls and constants; `within` are the definitions around it."""
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        rest = {key: value for key, value in node.items() if key != "$ref"}
        if name in within:  # a shape that holds itself: deeper levels stay open
            return {"type": "object", **_flat(rest, defs, within)}
        return {**_flat(defs[name], defs, (*within, name)), **_flat(rest, defs, within)}
    flat = {key: _keyword(key, value, defs, within) for key, value in node.items() if key not in _DROPPED}
    if flat.get("additionalProperties") is True:  # which is what leaving it out means
        del flat["additionalProperties"]
    if "const" in node:
        flat["enum"] = [node["const"]]
    if node.get("default") is not None:
        flat["default"] = node["default"]
    if node.get("examples") and "description" in flat:
        flat["description"] = _with_example(flat["description"], node["examples"][0])
    return _single(flat)


def _keyword(key: str, value: Any, defs: Mapping[str, Schema], within: tuple[str, ...]) -> Any:
    if key == "properties":
        return {name: _flat(inner, defs, within) for name, inner in value.items()}
    if key in ("items", "additionalProperties") and isinstance(value, dict):
        return _flat(value, defs, within)
    if key in ("anyOf", "oneOf", "allOf"):
        return [_flat(inner, defs, within) for inner in value if inner != {"type": "null"}]
    if key == "description":
        return " ".join(value.split())
    return value


def _single(flat: Schema) -> Schema:
    """A union of one is that one."""
    for key in ("anyOf", "oneOf", "allOf"):
        if len(flat.get(key, ())) == 1:
            inner = flat.pop(key)[0]
            return {**inner, **flat}
    return flat


def _with_example(description: str, example: object) -> str:
    text = str(example)
    return description if text in description else f"{description.rstrip('.')}. Example: {text}"

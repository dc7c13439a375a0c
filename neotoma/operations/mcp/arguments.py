"""Arguments as clients really send them: some wrap every array and object in a string of JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neotoma.operations.json import Malformed, decode

_CONTAINERS: Mapping[str, type] = {"array": list, "object": dict}


def unwrapped(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value with each string taken apart where its schema declares an array or an object.

    A string that is not such JSON stays, for validation to name. Raises the refusals of `decode` but for `Malformed`.
    """
    wanted = _CONTAINERS.get(schema.get("type", ""))
    if wanted is not None and isinstance(value, str):
        value = _opened(value, wanted)
    if wanted is dict and isinstance(value, dict):
        return {name: unwrapped(inner, _property(schema, name)) for name, inner in value.items()}
    if wanted is list and isinstance(value, list):
        return [unwrapped(inner, schema.get("items", {})) for inner in value]
    return value


def _opened(text: str, wanted: type) -> Any:
    try:
        inside = decode(text.encode())
    except Malformed:
        return text
    return inside if isinstance(inside, wanted) else text


def _property(schema: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
    return found if isinstance(found, dict) else {}

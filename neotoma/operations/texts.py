"""Arguments that arrive as text (query strings, command lines), in the form that the parameters declare."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel

from neotoma.operations.json import Malformed, decode
from neotoma.substrate.errors import InvalidInput

Form = Literal["scalar", "array", "object"]


@cache
def schema_of(params: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of the parameters, made once."""
    return params.model_json_schema()


@cache
def forms(params: type[BaseModel]) -> dict[str, Form]:
    """By parameter: one value, several, or JSON."""
    schema = schema_of(params)
    return {name: _form(declared, schema) for name, declared in schema.get("properties", {}).items()}


def argument(name: str, form: Form, texts: Sequence[str]) -> Any:
    """The value behind one or more texts of the same name; numbers and booleans are left to the parameters' model.

    An array is the name repeated or one JSON array; an object is JSON. Refuses the rest with the name.
    """
    if form == "array":
        return _json(name, texts[0], list) if len(texts) == 1 and texts[0].lstrip().startswith("[") else list(texts)
    if len(texts) > 1:
        raise InvalidInput.at(name, "is given more than once")
    return _json(name, texts[0], dict) if form == "object" else texts[0]


def _json(name: str, text: str, kind: type) -> Any:
    try:
        value = decode(text.encode(errors="surrogatepass"))
    except Malformed:
        value = None
    if not isinstance(value, kind):
        raise InvalidInput.at(name, f"is not a JSON {'array' if kind is list else 'object'}")
    return value


def _form(declared: dict[str, Any], schema: dict[str, Any]) -> Form:
    """The first form among the alternatives; `null` is none."""
    for part in declared.get("anyOf", [declared]):
        resolved = _resolve(part, schema)
        if resolved.get("type") == "array":
            return "array"
        if resolved.get("type") == "object":
            return "object"
    return "scalar"


def _resolve(part: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = part.get("$ref", "").removeprefix("#/$defs/")
    found: dict[str, Any] = schema["$defs"][name] if name else part
    return found

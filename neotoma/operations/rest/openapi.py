"""The OpenAPI 3.1 document of the visible operations, from the same declarations that run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from neotoma.operations.checks import PLACEHOLDER, STANDS_FOR
from neotoma.operations.registry import Operation
from neotoma.operations.texts import Form, forms

REFUSALS = {
    400: "The request is malformed.",
    401: "A credential is missing or does not count.",
    403: "The credential does not reach; `details.any_of` names the scopes that would.",
    404: "Unknown, or not visible to you.",
    405: "The path takes other methods.",
    409: "The idempotency key or an expectation conflicts.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "A value breaks a rule; `details.fields` names it.",
    429: "A rate limit is used up.",
    503: "The database is busy.",
}
ERROR = {
    "type": "object",
    "required": ["error_code", "message", "hint", "details", "request_id"],
    "properties": {
        "error_code": {"type": "string", "description": "Stable name of the refusal."},
        "message": {"type": "string", "description": "What is wrong."},
        "hint": {"type": "string", "description": "What to do about it."},
        "details": {"type": "object", "description": "Facts for programs."},
        "request_id": {"type": "string", "description": "Name it when you report the failure."},
    },
}
WITHOUT_BODY = ("GET", "DELETE")


def document(ops: Iterable[Operation], *, version: str, base_url: str) -> dict[str, Any]:
    """The whole document; `base_url` is where the instance is reached."""
    shown = [op for op in ops if op.visible]
    refs, schemas = _schemas(shown)
    paths: dict[str, dict[str, Any]] = {}
    for op in shown:
        body = schemas[_name(refs[op.params, "validation"])]
        answer = refs[op.result, "serialization"]
        paths.setdefault(f"/api/{op.route.path}", {})[op.route.method.lower()] = _entry(op, body, answer)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Neotoma", "version": version, "description": "One endpoint for each operation."},
        "servers": [{"url": base_url}],
        "tags": [{"name": name} for name in sorted({op.toolset for op in shown})],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": {**schemas, "Refusal": ERROR},
            "responses": {f"Refused{status}": _refusal(text) for status, text in REFUSALS.items()},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _schemas(ops: list[Operation]) -> tuple[Mapping[Any, dict[str, Any]], dict[str, Any]]:
    wanted: dict[tuple[Any, Any], None] = {}
    for op in ops:
        wanted[op.params, "validation"] = None
        wanted[op.result, "serialization"] = None
    refs, definitions = models_json_schema(list(wanted), ref_template="#/components/schemas/{model}")
    return refs, definitions.get("$defs", {})


def _name(ref: Mapping[str, Any]) -> str:
    return str(ref["$ref"]).rpartition("/")[2]


def _entry(op: Operation, params: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    names = PLACEHOLDER.findall(op.route.path)
    taken = {field for name in names for field in STANDS_FOR.get(name, (name,))}
    left = {name: part for name, part in params.get("properties", {}).items() if name not in taken}
    required = [name for name in params.get("required", ()) if name in left]
    entry: dict[str, Any] = {
        "operationId": op.name,
        "summary": op.title,
        "description": op.description,
        "tags": [op.toolset],
        "parameters": [_in_path(name, params) for name in names],
        "responses": _responses(op, answer),
        "security": [{"bearer": []}, *([{}] if "anonymous" in op.scopes or op.takes_guest_token else [])],
        "x-risk": op.risk,
        "x-undo": op.undo or None,
        "x-scopes": sorted(op.scopes),
    }
    if op.route.method in WITHOUT_BODY:
        given_as = forms(op.params)
        entry["parameters"] += [_in_query(name, part, given_as[name], name in required) for name, part in left.items()]
    else:
        entry["requestBody"] = _body(left, required)
        entry["parameters"] += [IDEMPOTENCY] if "idempotency_key" in left else []
    return entry


def _in_path(name: str, params: dict[str, Any]) -> dict[str, Any]:
    declared = params["properties"].get(name)
    if name in STANDS_FOR:
        text = f"The {name}: {' or '.join(STANDS_FOR[name])}."
        return {"name": name, "in": "path", "required": True, "description": text, "schema": {"type": "string"}}
    schema, description = _apart(declared or {"type": "string"})
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def _in_query(name: str, declared: dict[str, Any], form: Form, required: bool) -> dict[str, Any]:
    """Arrays repeat their name; objects are JSON texts."""
    schema, description = _apart(declared)
    parameter: dict[str, Any] = {"name": name, "in": "query", "required": required, "description": description}
    if form == "object":
        return {**parameter, "content": {"application/json": {"schema": schema}}}
    return {**parameter, "schema": schema}


def _apart(declared: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The schema without `null`, which no query string can say, and its description."""
    schema = {name: value for name, value in declared.items() if name not in ("description", "title")}
    real = [part for part in schema.get("anyOf", ()) if part != {"type": "null"}]
    if len(real) == 1:
        del schema["anyOf"]
        schema = {**schema, **real[0]}
    if schema.get("default", ...) is None:
        del schema["default"]
    return schema, declared.get("description", "")


def _body(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"required": bool(required), "content": {"application/json": {"schema": schema}}}


def _responses(op: Operation, answer: dict[str, Any]) -> dict[str, Any]:
    responses: dict[str, Any] = {
        str(op.status): {"description": "Done.", "content": {"application/json": {"schema": answer}}}
    }
    if op.effect == "read":
        responses["304"] = {"description": "Nothing changed since the ETag that If-None-Match names."}
    return responses | {str(status): {"$ref": f"#/components/responses/Refused{status}"} for status in REFUSALS}


def _refusal(text: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Refusal"}
    return {"description": text, "content": {"application/json": {"schema": schema}}}


IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same as `idempotency_key` in the body.",
    "schema": {"type": "string", "maxLength": 200},
}

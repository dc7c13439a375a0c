"""From a request to the arguments of an operation: path, query, body and headers. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from neotoma.operations import texts
from neotoma.operations.json import Malformed, check
from neotoma.operations.registry import Operation
from neotoma.substrate.errors import InvalidInput

NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


def arguments(
    op: Operation,
    *,
    path: Mapping[str, str],
    query: Mapping[str, Sequence[str]],
    body: object,
    idempotency_key: str | None,
) -> dict[str, Any]:
    """What the operation is called with. Refuses a name that two places give differently."""
    if not isinstance(body, dict):
        raise Malformed("The body is not a JSON object.")
    forms = texts.forms(op.params)
    found: dict[str, Any] = {}
    _merge(found, from_path(path))
    _merge(found, {name: texts.argument(name, forms.get(name, "scalar"), given) for name, given in query.items()})
    if idempotency_key is not None and "idempotency_key" in op.params.model_fields:
        _merge(found, {"idempotency_key": idempotency_key})
    check(found)  # the body has been checked where it was decoded
    _merge(found, body)
    return found


def from_path(path: Mapping[str, str]) -> dict[str, Any]:
    """Path names bind parameters of the same name; `issue` is a number or an entity id."""
    bound: dict[str, Any] = {}
    for name, text in path.items():
        if name != "issue":
            bound[name] = text
        elif NUMBER.fullmatch(text):
            bound["issue_number"] = int(text)
        else:
            bound["entity_id"] = text
    return bound


def _merge(found: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, value in more.items():
        if name in found and str(found[name]) != str(value):
            raise InvalidInput.at(name, "is given twice with different values")
        found.setdefault(name, value)

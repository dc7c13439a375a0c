"""What the description of an operation refers to exists: an agent would call it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from neotoma.operations.registry import Operation, operations

_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


@pytest.mark.parametrize("operation", operations().values(), ids=lambda one: one.name)
def test_operations_that_a_description_names_exist(operation: Operation) -> None:
    verbs = {name.partition("_")[0] for name in operations()}
    schemas = [operation.params.model_json_schema(), operation.result.model_json_schema()]
    told = [operation.description, *_texts("description", schemas)]
    named = {name for text in told for name in _NAME.findall(text) if name.partition("_")[0] in verbs}
    fields = {name for one in operations().values() for name in (*one.params.model_fields, *one.result.model_fields)}
    assert named - set(operations()) - fields - set(_texts("enum", schemas)) == set()


def _texts(key: str, schema: Any) -> list[str]:
    """Every text under this key, however deep."""
    if isinstance(schema, list):
        return [text for one in schema for text in _texts(key, one)]
    if not isinstance(schema, dict):
        return []
    held = schema.get(key)
    here = [text for text in (held if isinstance(held, list) else [held]) if isinstance(text, str)]
    return [*here, *(text for one in schema.values() for text in _texts(key, one))]

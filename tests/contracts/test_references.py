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
    schemas = _schemas(operation)
    named = {name for text in _told(operation) for name in _NAME.findall(text) if name.partition("_")[0] in verbs}
    fields = {name for one in operations().values() for name in (*one.params.model_fields, *one.result.model_fields)}
    assert named - set(operations()) - fields - set(_texts("enum", schemas)) == set()


@pytest.mark.parametrize("operation", operations().values(), ids=lambda one: one.name)
def test_no_description_sends_anybody_to_a_stream(operation: Operation) -> None:
    """None is mounted: events come by webhook or from list_events."""
    assert [text for text in _told(operation) if re.search(r"\bstreams?\b", text)] == []


def _schemas(operation: Operation) -> list[dict[str, Any]]:
    return [operation.params.model_json_schema(), operation.result.model_json_schema()]


def _told(operation: Operation) -> list[str]:
    """What an agent reads about an operation."""
    return [operation.description, *_texts("description", _schemas(operation))]


def _texts(key: str, schema: Any) -> list[str]:
    """Every text under this key, however deep."""
    if isinstance(schema, list):
        return [text for one in schema for text in _texts(key, one)]
    if not isinstance(schema, dict):
        return []
    held = schema.get(key)
    here = [text for text in (held if isinstance(held, list) else [held]) if isinstance(text, str)]
    return [*here, *(text for one in schema.values() for text in _texts(key, one))]

"""A filter means the same with an index and without one, on both databases."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue

from neotoma.substrate import queries, schema
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.models import Entity
from neotoma.substrate.queries import NotIndexed
from neotoma.substrate.schema import EntityType, register_type
from neotoma.substrate.store import open_write
from neotoma.substrate.values import compare

pytestmark = pytest.mark.django_db

TYPES = ["indexed_thing", "plain_thing"]
NUMBERS = st.integers(-(2**60), 2**60) | st.sampled_from([0, 1, 2, 2**53, 2**53 + 1]) | st.floats(-5, 5)
TEXTS = st.text(alphabet="aAbß1%_\\\"'[ ", max_size=4) | st.sampled_from(
    ["x" * 299 + end for end in ("", "a", "ab", "ac")]
)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = SCALARS | st.lists(SCALARS.filter(lambda value: value is not None), max_size=3) | st.just({"a": 1})
OPS = st.sampled_from(["eq", "in", "gt", "lt", "gte", "lte", "contains"])


@pytest.fixture(autouse=True)
def types(monkeypatch: pytest.MonkeyPatch) -> None:
    class Thing(BaseModel):
        v: JsonValue = None
        w: int = 0

    monkeypatch.setattr(schema, "_TYPES", dict(schema._TYPES))
    for name, indexed in zip(TYPES, (frozenset({"v", "w"}), frozenset[str]()), strict=True):
        register_type(EntityType(name, "A thing.", model=Thing, indexed=indexed))


def put(kind: str, values: list[Any]) -> dict[str, Any]:
    """By id, the value of each entity; None has no value at all. Another field is always there."""
    drafts = [Draft(kind, {"w": 1} if value is None else {"v": value, "w": 1}) for value in values]
    with open_write(SYSTEM, timezone.now()) as write:
        stored = write.put(drafts)
    return {item.entity.pk: value for item, value in zip(stored, values, strict=True)}


def found(kind: str, op: str, value: Any, field: str = "v") -> set[str]:
    rows = queries.alive_of_types(Entity.objects.all(), [kind])
    return set(queries.by_field(rows, [kind], field, op, value).values_list("pk", flat=True))


@given(st.lists(VALUES, max_size=5), OPS, st.data())
def test_a_filter_finds_what_it_means_with_an_index_and_without(values: list[Any], op: str, data: Any) -> None:
    probes = st.sampled_from(values) | VALUES if values else VALUES
    probe = data.draw(st.lists(probes, max_size=3) if op == "in" else probes)
    with transaction.atomic():
        for kind in TYPES:
            held = put(kind, values)
            wanted = {pk for pk, value in held.items() if compare(value, op, probe)}
            try:
                assert found(kind, op, probe) == wanted
            except InvalidInput:
                assert kind == "indexed_thing"
                assert any(len(str(one)) > 300 for one in (probe if op == "in" else [probe]))
        transaction.set_rollback(True)


@pytest.mark.parametrize("field", ["contains", "exact", "a__b", 'quo"te', "with space", "über", "0"])
def test_a_field_of_any_name_can_be_filtered_by(field: str) -> None:
    with open_write(SYSTEM, timezone.now()) as write:
        one, _ = write.put([Draft("task", {"title": "x", field: 1}), Draft("task", {"title": "y", field: 2})])
    assert found("task", "eq", 1, field) == {one.entity.pk}


def test_a_scan_of_too_many_is_refused_and_an_index_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "SCAN_LIMIT", 2)
    for kind in TYPES:
        put(kind, [1, 2, 3])
    assert len(found("indexed_thing", "gte", 2)) == 2
    with pytest.raises(NotIndexed):
        found("plain_thing", "gte", 2)


def test_a_part_of_a_long_text_is_found_wherever_it_is() -> None:
    held = put("indexed_thing", ["x" * 5_000 + "Needle", "x" * 5_000])
    assert found("indexed_thing", "contains", "nEEDLe") == {next(iter(held))}

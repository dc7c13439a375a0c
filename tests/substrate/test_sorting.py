"""Lists by a field: every row once, in the order of the values, with an index and without one, on both databases."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from neotoma.substrate import queries, sorting
from neotoma.substrate.cursors import encode_cursor
from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.models import Entity
from neotoma.substrate.queries import NotIndexed
from tests.substrate.test_queries import NUMBERS, TEXTS, TYPES, put, types

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("types")]
__all__ = ["types"]

KINDS = ("number", "text", "json")
VALUES = st.none() | st.booleans() | NUMBERS.filter(lambda value: abs(value) <= 2**53) | TEXTS


def paged(kind: str, order: Any, limit: int, field: str = "v") -> list[str]:
    seen: list[str] = []
    cursor = None
    while True:
        rows = queries.alive_of_types(Entity.objects.all(), [kind])
        found, more = sorting.page(rows, [kind], field, order, limit, cursor)
        seen += [one.entity.pk for one in found]
        if not more:
            return seen
        cursor = found[-1].cursor


def expected(held: dict[str, Any], order: str) -> list[str]:
    """Numbers, then texts, then what has no order, each by value and id; what has no value comes last either way."""

    def key(item: tuple[str, Any]) -> tuple[Any, ...]:
        pk, value = item
        if isinstance(value, bool):
            return 2, str(value).lower(), pk
        return (
            (1, value[:299] + "\uffff" if len(value) > 300 else value, pk) if isinstance(value, str) else (0, value, pk)
        )

    valued = sorted(((pk, value) for pk, value in held.items() if value is not None), key=key, reverse=order == "desc")
    return [pk for pk, _ in valued] + sorted(pk for pk, value in held.items() if value is None)


@given(st.lists(VALUES, max_size=8), st.sampled_from(["asc", "desc"]), st.integers(1, 4))
def test_pages_hold_every_row_once_in_order(values: list[Any], order: str, limit: int) -> None:
    with transaction.atomic():
        for kind in TYPES:
            wanted = expected(put(kind, values), order)
            assert paged(kind, order, limit) == wanted
        transaction.set_rollback(True)


def test_rows_that_come_and_go_between_pages_hide_no_others() -> None:
    held = put("indexed_thing", [10, 20, 30, 40])
    rows = Entity.objects.filter(entity_type="indexed_thing")
    first, _ = sorting.page(rows, ["indexed_thing"], "v", "asc", 2, None)
    put("indexed_thing", [15, 25])
    Entity.objects.filter(pk=first[-1].entity.pk).update(deleted_at="2026-01-01T00:00:00Z")
    rest, more = sorting.page(rows.alive(), ["indexed_thing"], "v", "asc", 9, first[-1].cursor)
    assert [one.entity.snapshot["v"] for one in rest] == [25, 30, 40]
    assert not more
    assert len(held) == 4


@pytest.mark.parametrize(
    "cursor", ["x", encode_cursor("number", "x", "ent"), encode_cursor("rumour", "1", "ent"), encode_cursor("a", "b")]
)
def test_a_forged_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput) as info:
        sorting.page(Entity.objects.all(), ["indexed_thing"], "v", "asc", 2, cursor)
    assert info.value.details["fields"][0]["path"] == "cursor"


def test_only_a_declared_field_of_one_type_gives_an_order() -> None:
    for given_types, field in ((TYPES, "v"), ([], "v"), (["indexed_thing"], "x"), (["subscription"], "nonce")):
        with pytest.raises(InvalidInput) as info:
            sorting.page(Entity.objects.all(), given_types, field, "asc", 2, None)
        assert info.value.details["fields"][0]["path"] == "sort_by"


def test_too_many_to_sort_without_an_index_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "SCAN_LIMIT", 2)
    for kind in TYPES:
        put(kind, [3, 1, 2])
    assert len(paged("indexed_thing", "asc", 2)) == 3
    with pytest.raises(NotIndexed):
        paged("plain_thing", "asc", 2)

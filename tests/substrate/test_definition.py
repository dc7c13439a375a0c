from __future__ import annotations

from typing import Any

import pytest

from neotoma.substrate.definition import FieldKind, fits

MEMBERS: dict[FieldKind, list[Any]] = {
    "string": ["", "x", "2026-01-31", "2026-01-31T12:00:00Z"],
    "number": [0, -1.5, 10**18],
    "boolean": [True, False],
    "date": ["2026-01-31", "0001-01-01"],
    "datetime": ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+05:30"],
    "array": [[], [1, "x"]],
    "object": [{}, {"a": 1}],
}
STRANGERS: dict[FieldKind, list[Any]] = {
    "string": [1, None, ["x"]],
    "number": ["1", True],
    "boolean": [0, 1, "true"],
    "date": ["2026-02-30", "20260131", "2026-W05-1", "2026-1-31", "2026-01-31T12:00:00Z", "٢٠٢٦-01-31", 20260131],
    "datetime": ["2026-01-31T12:00:00", "2026-01-31", "soon", "0001-01-01T00:00:00+14:00", 0],
    "array": ["x", {}],
    "object": [[], "x"],
}


@pytest.mark.parametrize("kind", sorted(MEMBERS))
def test_values_are_of_their_kind(kind: FieldKind) -> None:
    assert [value for value in MEMBERS[kind] if not fits(kind, value)] == []
    assert [value for value in STRANGERS[kind] if fits(kind, value)] == []

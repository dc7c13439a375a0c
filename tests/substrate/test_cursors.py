"""A cursor of ours comes back as it was; any other text is refused, whatever it holds."""

from __future__ import annotations

import base64
import json

import pytest

from neotoma.substrate.cursors import decode_cursor, encode_cursor
from neotoma.substrate.errors import InvalidInput


def test_a_position_comes_back() -> None:
    assert decode_cursor(encode_cursor("2026-01-31T12:00:00+00:00", "ent_1", 7), str, str, int) == (
        "2026-01-31T12:00:00+00:00",
        "ent_1",
        7,
    )


@pytest.mark.parametrize("text", ["\0", "ent_\0", "\ud800", "ent_\udfff"], ids=ascii)
def test_texts_that_no_database_takes_are_refused(text: str) -> None:
    forged = base64.urlsafe_b64encode(json.dumps([text]).encode()).decode()
    with pytest.raises(InvalidInput, match="not a cursor of this list"):
        decode_cursor(forged, str)


@pytest.mark.parametrize("cursor", ["", "=", "\u0660", "W10", "WzEuNV0", "eyJhIjoxfQ", "W3RydWVd"])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput, match="not a cursor of this list"):
        decode_cursor(cursor, int)

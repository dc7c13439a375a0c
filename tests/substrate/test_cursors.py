"""A cursor of ours comes back as it was; any other text is refused, whatever it holds."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma.substrate.cursors import decode_cursor, encode_cursor
from neotoma.substrate.errors import InvalidInput

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


@given(TEXTS, st.integers(-(2**62), 2**62))
def test_a_cursor_is_the_position_that_it_was_made_of(text: str, number: int) -> None:
    assert decode_cursor(encode_cursor(text, number), str, int) == (text, number)


def raw(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


FORGED = [
    "{}",
    "[1]",
    '["a", 1]',
    "[" * 1_400,
    '["\\u0000", "b"]',
    '["\\ud800", "b"]',
    "[1.5, 2.5]",
    "[true, false]",
    '["a", "b", "c"]',
]


@pytest.mark.parametrize("cursor", ["", "=", "é", "\u0660", "x", "%%%", *(raw(text) for text in FORGED)])
def test_what_is_no_cursor_of_the_list_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput) as info:
        decode_cursor(cursor, str, str)
    assert info.value.details["fields"][0]["path"] == "cursor"


def test_a_number_that_no_column_holds_is_refused() -> None:
    with pytest.raises(InvalidInput):
        decode_cursor(encode_cursor(2**63), int)

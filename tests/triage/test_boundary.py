from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.boundary import BadBoundary, is_hidden, visible, without_hidden, wrap

KEY = "Zk3v9Qp1Lw7Xr2Tn"


def test_text_lies_between_two_lines_that_hold_the_boundary() -> None:
    assert wrap("a\nb", KEY).split("\n") == [f"<<<data {KEY}", "a", "b", f">>>data {KEY}"]


@pytest.mark.parametrize(
    "hidden", ["\u200b", "\u202e", "\u2066", "\ufeff", "\U000e0041", "\x1b", "\x00", "\ufe0f", "\u3164", "\ud800"]
)
def test_hidden_characters_show_their_code_point(hidden: str) -> None:
    assert visible(f"a{hidden}b") == f"a[U+{ord(hidden):04X}]b"
    assert without_hidden(f"a{hidden}b") == "ab"


def test_ordinary_text_stays_as_it_is() -> None:
    text = "Größe 漢字\n\tdef f(x): return x  # é"
    assert visible(text) == text


def test_line_ends_become_one_kind_but_a_bare_return_shows() -> None:
    assert visible("a\r\nb\rc") == "a\nb[U+000D]c"


@pytest.mark.parametrize("text", [f"x {KEY} y", KEY.lower(), f">>>data {KEY}"])
def test_text_that_holds_its_boundary_is_refused(text: str) -> None:
    with pytest.raises(BadBoundary):
        wrap(text, KEY)


@pytest.mark.parametrize("boundary", ["", "short", "a" * 65, "has space has space", "new\nline" * 3])
def test_a_guessable_or_odd_boundary_is_refused(boundary: str) -> None:
    with pytest.raises(BadBoundary):
        wrap("text", boundary)


@given(st.text())
def test_nothing_hidden_survives(text: str) -> None:
    assert not any(is_hidden(character) for character in visible(text))

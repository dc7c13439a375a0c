from __future__ import annotations

from triage.text import MAX_TOKENS, folded, tokens


def test_forms_of_a_word_are_one() -> None:
    assert set(tokens("store stores stored storing")) == {"stor"}


def test_stop_words_are_left_out() -> None:
    assert tokens("this is the value of it") == ["valu"]


def test_length_is_bounded() -> None:
    assert len(tokens("word " * 20_000)) == MAX_TOKENS
    assert len(folded("x" * 200_000)) == 64 * 1024

from __future__ import annotations

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from neotoma.substrate import search
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.store import open_write
from neotoma.substrate.words import QUERY_LIMIT, TEXT_LIMIT, words_asked, words_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)


@given(TEXTS)
def test_what_a_text_asks_for_is_in_it(text: str) -> None:
    assert set(words_asked(text)) <= words_of(text)


@given(TEXTS)
def test_words_hold_nothing_that_a_database_reads_as_more_than_a_word(text: str) -> None:
    for word in words_of(text):
        assert word
        assert not set(word) & set(" \t\r\n'\"\\:*&|!<>()^-+.,;")
        assert not word.startswith("_")


@pytest.mark.django_db
@given(TEXTS)
def test_any_text_is_found_by_itself(text: str) -> None:
    with open_write(SYSTEM, timezone.now()) as write:
        [item] = write.put([Draft("text", {"content": text})])
    assert (item.entity.pk in search.matching(text)) == bool(words_asked(text))


def test_a_long_query_asks_for_its_first_words() -> None:
    assert words_asked(" ".join(map(str, range(50)))) == [str(number) for number in range(QUERY_LIMIT)]


def test_the_end_of_a_huge_text_is_not_looked_at() -> None:
    assert words_of("a" + " " * TEXT_LIMIT + "end") == {"a"}


@pytest.mark.django_db
def test_a_text_of_nothing_but_different_words_can_be_stored() -> None:
    """PostgreSQL holds a megabyte of words a row."""
    text = "".join(map(chr, range(0x20000, 0x20000 + TEXT_LIMIT)))[:TEXT_LIMIT]
    with open_write(SYSTEM, timezone.now()) as write:
        [item] = write.put([Draft("text", {"content": text.replace("\U0002fffe", "").replace("\U0002ffff", "")})])
    assert list(search.matching(text[:9])) == [item.entity.pk]

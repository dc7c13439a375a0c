from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from issues.pages import PAGE_CHARACTERS, cut, fitting, weight

BODIES = st.lists(
    st.builds(lambda unit, count: unit * count, st.text(min_size=1, max_size=3), st.integers(1, 30_000)), max_size=4
)


def walk(bodies: list[str]) -> list[str]:
    """Read page after page and put the texts together."""
    whole, index, offset = [""] * len(bodies), 0, 0
    while index < len(bodies):
        parts = cut(bodies[index:], offset)
        for part in parts:
            assert part.offset == len(whole[index + part.index])
            whole[index + part.index] += part.text
        last = parts[-1]
        assert sum(weight(part.text) for part in parts) <= PAGE_CHARACTERS + 6
        offset = last.offset + len(last.text) if last.continues else 0
        index += last.index + (not last.continues)
    return whole


@given(BODIES)
def test_the_pages_together_are_the_thread(bodies: list[str]) -> None:
    assert walk(bodies) == bodies


@given(st.text(min_size=1, max_size=400), st.integers(1, 200))
def test_a_beginning_fits_or_is_one_character(text: str, room: int) -> None:
    piece = fitting(text, room)
    assert text.startswith(piece)
    assert len(piece) == 1 or weight(piece) <= room

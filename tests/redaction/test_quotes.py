"""How deep a quote stands follows from how often `json.dumps` wrapped it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from neotoma.redaction.quotes import depth, is_json, quote


@given(st.integers(0, 4), st.integers(0, 3))
def test_depth_undoes_wrapping(deep: int, slashes: int) -> None:
    text = "\\" * slashes + '"'
    for _ in range(deep):
        text = json.dumps(text)[1:-1]
    assert depth(len(text) - 1) == deep + depth(slashes)
    assert quote(deep) == "\\" * (2**deep - 1) + '"'


def test_a_document_shows_at_its_beginning() -> None:
    assert is_json(' {"a": 1}')
    assert is_json("[1]")
    assert not is_json('config: {"a": 1}')

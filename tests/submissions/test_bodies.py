from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma.submissions.bodies import unescape_once

ONCE = [
    "## Summary\\n\\nA field is lost.\\n\\n1. store\\n2. read",
    "It fails.\\nThen it works.",
    "Steps:\\n- one\\n- two",
    'He said \\"no\\".\\n\\nDone.',
    "tab\\there.\\n\\nDone.",
]
KEPT = [
    r"C:\new\table",
    r"C:\new\notes\nightly",
    r"the path \\server\new is gone",
    r"regex \d+\n fails",
    r"printf('%s\n', x)",
    r"a real newline" + "\n" + r"and a pair \n",
    r"sed 's/a\nb/c/'",
    r"echo foo\nbar",
    "no backslash at all",
    r"trailing backslash.\n\n\ ",
]


@pytest.mark.parametrize("body", ONCE)
def test_one_layer_too_many_is_undone_once(body: str) -> None:
    text, undone = unescape_once(body)
    assert undone
    assert text == json.loads(f'"{body}"')
    assert unescape_once(text) == (text, False)


@pytest.mark.parametrize("body", KEPT)
def test_paths_patterns_and_code_survive_to_the_byte(body: str) -> None:
    assert unescape_once(body) == (body, False)


@given(st.text(max_size=200))
def test_a_second_run_changes_nothing(body: str) -> None:
    once, _ = unescape_once(body)
    assert unescape_once(once)[0] == once

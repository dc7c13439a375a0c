from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma.submissions.revisions import valid_ref, valid_sha

HOSTILE = [
    "--upload-pack=touch MARKER", "-h", "-", "--", "x;touch MARKER", "$(touch MARKER)", "`touch MARKER`", "a..b", "...",
    "@{u}", "@", "main@{1}", "main@{upstream}", "refs/heads/../../x", "../x", "/etc/passwd", "a//b", "a/", ".hidden",
    "a/.hidden", "a.lock", "a.lock/b", "a.", "a/./b", "a b", "a\tb", "a\nb", "main\n", "a\x00b", "a\x7fb", "a~1", "a^",
    "a^{commit}", "a:b", "a?b", "a*b", "a[b", "a\\b", "a|b", "a&b", "a>b", "a'b", 'a"b', "a/-b", "x" * 256, "é" * 200,
    "", " ", "a\u200bb", "a\u202eb", "\ud800", "%s", "{}", "!main", "~", "+main",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_refs_are_refused(name: str) -> None:
    assert not valid_ref(name)


@pytest.mark.parametrize(
    "name",
    ["main", "v1.2.3", "feature/labels", "fix/größe", "release-1.0", "a_b", "dependabot/pip/x@2", "issue#12", "1"],
)
def test_usual_names_are_accepted(name: str) -> None:
    assert valid_ref(name)


@pytest.mark.parametrize("text", ["a" * 7, "0123456789abcdef0123456789abcdef01234567", "A" * 40, "f" * 64])
def test_commit_ids_are_accepted(text: str) -> None:
    assert valid_sha(text)


@pytest.mark.parametrize(
    "text", ["", "abc123", "a" * 41, "a" * 63, "a" * 65, "g" * 40, "abcdefa\n", " abcdefa", "-abcdefa", "HEAD", "٣" * 8]
)
def test_anything_else_is_no_commit_id(text: str) -> None:
    assert not valid_sha(text)


@given(st.text(max_size=40))
def test_an_accepted_ref_holds_nothing_that_a_command_line_reads(name: str) -> None:
    if valid_ref(name):
        assert not name.startswith("-")
        assert not set(name) & set(" \t\n\r\0;&|$`'\"<>()*?[]\\^~:{}!")
        assert ".." not in name
    else:
        assert name != "main"

"""Results for people."""

from __future__ import annotations

from neotoma.operations.cli.tables import WIDEST, render, table


def test_facts_then_tables() -> None:
    result = {"rows": [{"a": 1, "b": "x"}, {"a": 22, "c": None}], "total": 2, "names": ["n"], "none": []}
    assert render(result) == 'total: 2\nnames: ["n"]\nnone: []\n\nrows\na   b  c\n1   x\n22     null'


def test_cells_are_short_and_on_one_line() -> None:
    text = table([{"body": "one\ntwo " + "x" * 200}])
    assert len(text.splitlines()) == 2 and len(text.splitlines()[1]) == WIDEST and text.endswith("…")


def test_stored_text_cannot_drive_the_terminal() -> None:
    shown = render({"title": "a\x1b]0;owned\x07b\u202ec", "body": "line\nline"})
    assert "\x1b" not in shown and "\x07" not in shown and "\u202e" not in shown
    assert "line\nline" in shown

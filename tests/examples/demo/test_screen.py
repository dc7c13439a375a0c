from __future__ import annotations

import io

import pytest

from examples.demo import __main__ as demo
from examples.demo.screen import Screen, expect


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_steps_are_numbered_and_what_happens_is_done() -> None:
    out = io.StringIO()
    screen = Screen(out)
    for title in ("One", "Two"):
        with screen.step(title):
            screen.sent("asked")
            screen.got("answered")
    lines = [line.strip() for line in out.getvalue().splitlines() if line]
    done = [line.rpartition(" done ")[0] for line in lines[3::4]]
    assert lines[:3] == ["1  One", "→ asked", "← answered"]
    assert lines[4] == "2  Two"
    assert done == ["✓", "✓"]


def test_a_step_that_does_not_happen_says_so_and_ends_the_story() -> None:
    out = io.StringIO()
    with pytest.raises(AssertionError, match="there is a plan"), Screen(out).step("Plan"):
        expect([], "there is a plan")
    assert "✗ did not happen" in out.getvalue()
    assert "✓" not in out.getvalue()


def test_the_demo_fails_with_its_step(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def tell(screen: Screen, *_: object) -> None:
        with screen.step("Start"):
            expect(False, "it starts")

    monkeypatch.setattr(demo, "tell", tell)
    assert demo.main() == 1
    assert "Step 1 did not happen: it starts" in capsys.readouterr().out


def test_colours_are_for_terminals_of_people_who_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    for out, no_color in ((Terminal(), ""), (Terminal(), "1"), (io.StringIO(), "")):
        monkeypatch.setenv("NO_COLOR", no_color)
        Screen(out).headline("Neotoma")
        shown.append(out.getvalue())
    assert shown == ["\x1b[1mNeotoma\x1b[0m\n", "Neotoma\n", "Neotoma\n"]

from __future__ import annotations

import pytest

from neotoma.operations.mcp.selection import DEFAULT, READ_ONLY, Selection, UnknownToolset, of_names
from tests.operations.mcp.fakes import BOXES

KNOWN = ("boxes", "lost")


def listed(selection: Selection) -> list[str]:
    return [name for name, op in BOXES.items() if selection.lists(op)]


def allowed(selection: Selection) -> list[str]:
    return [name for name, op in BOXES.items() if selection.allows(op)]


def test_without_toolsets_the_default_tools_are_listed_and_the_others_still_work() -> None:
    assert "lose_box" not in listed(DEFAULT)
    assert allowed(DEFAULT) == list(BOXES)


def test_a_toolset_has_its_own_tools_and_the_way_to_the_others() -> None:
    assert listed(of_names("lost", KNOWN)) == allowed(of_names("lost", KNOWN)) == ["find_operations", "lose_box"]


def test_toolsets_add_up_whatever_their_order() -> None:
    assert of_names("lost,boxes", KNOWN) == of_names(" boxes , lost,", KNOWN)
    assert listed(of_names("lost,boxes", KNOWN)) == list(BOXES)


def test_read_only_wins() -> None:
    for selection in (READ_ONLY, of_names("boxes,readonly", KNOWN)):
        assert "purge_box" not in allowed(selection)
        assert "read_box" in listed(selection)


@pytest.mark.parametrize("names", ["nothing", "boxes,nothing", ",", " "])
def test_an_unknown_toolset_is_told_which_exist(names: str) -> None:
    with pytest.raises(UnknownToolset) as caught:
        of_names(names, KNOWN)
    assert caught.value.status == 404
    assert caught.value.details == {"toolsets": ["boxes", "lost"]}

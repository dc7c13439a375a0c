from __future__ import annotations

import json
from typing import Any

import pytest

from neotoma.access.principals import ANONYMOUS, Principal
from neotoma.operations.mcp.selection import DEFAULT, of_names
from neotoma.operations.mcp.tools import KEPT_LISTS, Tools, descriptor
from tests.operations.mcp.fakes import BOXES, agent, boxes

TOOLS = Tools(boxes)


def names(principal: Principal) -> list[str]:
    return [op.name for op in TOOLS.listed(principal, DEFAULT)]


def test_a_tool_says_what_it_does_and_how_dangerous_it_is() -> None:
    tool = descriptor(BOXES["make_box"])
    assert list(tool) == ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta"]
    assert tool["description"] == "Make a box.\nIt comes back as it was given."
    assert tool["_meta"] == {"io.neotoma/risk": "low"}


@pytest.mark.parametrize(
    ("name", "hints"),
    [
        ("read_box", {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}),
        ("purge_box", {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}),
    ],
)
def test_all_four_hints_are_explicit(name: str, hints: dict[str, bool]) -> None:
    assert descriptor(BOXES[name])["annotations"] == hints


def test_a_write_names_its_undo_even_where_there_is_none() -> None:
    assert descriptor(BOXES["purge_box"])["_meta"] == {"io.neotoma/risk": "high", "io.neotoma/undo": None}


def test_without_a_token_one_sees_what_is_open_and_what_a_guest_token_opens() -> None:
    assert names(ANONYMOUS) == ["break_box", "find_operations", "make_box", "read_box", "read_thread"]


def test_high_risk_is_for_staff() -> None:
    assert "purge_box" not in names(agent("write"))
    assert "purge_box" in names(agent("write", staff=True))


def test_what_has_no_description_does_not_exist() -> None:
    assert "hidden_box" not in names(agent("operate", staff=True))
    assert TOOLS.find("hidden_box", DEFAULT) is None
    assert TOOLS.find("lose_box", DEFAULT) is BOXES["lose_box"]
    assert TOOLS.find("no_box", DEFAULT) is None


def test_the_order_is_that_of_names_and_the_bytes_are_kept() -> None:
    first = TOOLS.list_members(agent("read"), DEFAULT)
    assert TOOLS.list_members(agent("read"), DEFAULT) is first
    found = [tool["name"] for tool in json.loads(b"{" + first + b"}")["tools"]]
    assert found == sorted(found)


def test_lists_differ_by_scopes_staff_and_selection() -> None:
    tools = Tools(boxes)
    lists = {
        tools.list_members(ANONYMOUS, DEFAULT),
        tools.list_members(agent("write"), DEFAULT),
        tools.list_members(agent("write", staff=True), DEFAULT),
        tools.list_members(ANONYMOUS, of_names("lost", tools.toolsets())),
    }
    assert len(lists) == 4


def test_an_operation_that_joins_later_is_listed() -> None:
    known: dict[str, Any] = {"read_box": BOXES["read_box"]}
    tools = Tools(lambda: known)
    assert b"make_box" not in tools.list_members(ANONYMOUS, DEFAULT)
    known["make_box"] = BOXES["make_box"]
    assert b"make_box" in tools.list_members(ANONYMOUS, DEFAULT)


def test_the_number_of_kept_lists_is_bounded() -> None:
    tools = Tools(boxes)
    for number in range(KEPT_LISTS + 5):
        tools.list_members(agent(f"scope{number}"), DEFAULT)
    assert len(tools._lists) <= KEPT_LISTS

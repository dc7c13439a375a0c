"""What a list of tools costs the model that reads it. Run with `-s` to see the table."""

from __future__ import annotations

import json

import pytest

from neotoma.operations.mcp.selection import DEFAULT
from neotoma.operations.mcp.tools import Tools, descriptor
from neotoma.operations.registry import operations
from tests.operations.mcp.fakes import agent

CHARACTERS_A_TOKEN = 4
LARGER = {"submit_issue": 1_000}
EVERYBODY = agent("operate", staff=True)
TOOLS = [op for op in operations().values() if op.visible]


def tokens(*names: str) -> int:
    """Roughly, of what a model sees: name, description and input schema."""
    seen = [descriptor(operations()[name]) for name in names]
    text = [[tool["name"], tool["description"], tool["inputSchema"]] for tool in seen]
    return len(json.dumps(text, separators=(",", ":"))) // CHARACTERS_A_TOKEN


@pytest.mark.parametrize("name", [op.name for op in TOOLS])
def test_no_tool_is_too_long(name: str) -> None:
    assert tokens(name) <= LARGER.get(name, 500)


def test_the_default_list_is_short() -> None:
    names = [op.name for op in Tools(operations).listed(EVERYBODY, DEFAULT)]
    encoded = Tools(operations).list_members(EVERYBODY, DEFAULT)
    for name in names:
        print(f"{tokens(name):6} {name}")
    print(f"{tokens(*names):6} tokens, {len(encoded)} bytes, {len(names)} tools")
    assert len(names) <= 20
    assert tokens(*names) <= 6_000
    assert len(encoded) <= 25_000


def test_over_all_toolsets_every_described_operation_is_a_tool() -> None:
    tools = Tools(operations)
    assert [op.name for op in tools.reachable(EVERYBODY)] == [op.name for op in TOOLS]

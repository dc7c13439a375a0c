"""The manifest says what is mounted and described, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from neotoma.operations import screens
from neotoma.operations.manifest import manifest
from neotoma.operations.screens import Screen
from neotoma.substrate import schema
from neotoma.substrate.schema import EntityType
from tests.support.toys import Size, toys


@pytest.fixture(autouse=True)
def _only_toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(screens, "_SCREENS", {})
    monkeypatch.setattr(schema, "_TYPES", {})
    with toys():
        yield


def _manifest() -> dict[str, Any]:
    return manifest(version="1.0", base_url="https://toys.example")


def test_an_operation_with_its_contract() -> None:
    [made] = [entry for entry in _manifest()["operations"] if entry["name"] == "make_toy"]
    assert made == {
        "name": "make_toy",
        "title": "Toy",
        "description": "Make a toy. Undo: remove_toy.",
        "effect": "write",
        "risk": "low",
        "undo": "remove_toy",
        "reversible": True,
        "always_allow": True,
        "scopes": ["write"],
        "toolset": "toys",
        "default": False,
        "rest": {"method": "POST", "path": "/api/toys"},
        "parameters": ["idempotency_key", "name", "tags", "size", "note"],
        "required": ["name"],
    }


def test_only_what_is_low_may_be_allowed_for_good() -> None:
    allowed = {entry["name"]: entry["always_allow"] for entry in _manifest()["operations"]}
    assert allowed["make_toy"] and not allowed["remove_toy"]


def test_what_has_no_description_is_not_in_it() -> None:
    screens.declare(Screen("board", "/board/", "Board", "Toys by shelf.", human_only="Moving needs eyes."))
    screens.declare(Screen("attic", "/attic/", "Attic", ""))
    schema.register_type(EntityType("toy", "A thing to play with.", model=Size))
    schema.register_type(EntityType("dust", ""))
    found = _manifest()
    assert "hidden_toy" not in {entry["name"] for entry in found["operations"]}
    assert {"board", "attic"} & {entry["name"] for entry in found["screens"]} == {"board"}
    assert [entry["name"] for entry in found["entity_types"]] == ["toy"]
    assert found["entity_types"][0]["fields"] == {"width": "Width in cm.", "height": "Height in cm."}


def test_the_order_is_that_of_names() -> None:
    names = [entry["name"] for entry in _manifest()["operations"]]
    assert names == sorted(names) and len(names) == 8


def test_titles_of_screens_are_written_as_headings() -> None:
    titles = {screen.title for screen in screens.screens().values()}
    assert "API tokens" in titles
    assert {title for title in titles if title[:1].islower()} == set()


def test_screens_are_declared_once() -> None:
    screens.declare(Screen("board", "/board/", "Board", "Toys by shelf."))
    with pytest.raises(ValueError, match="board is declared twice"):
        screens.declare(Screen("board", "/b/", "Board", "Again."))

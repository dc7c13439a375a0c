"""Gaps are found, each once, and fail only the check before a deploy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from pydantic import Field

from neotoma.operations import checks, screens
from neotoma.operations.registry import Operation, Route
from neotoma.operations.shapes import Params, Shape
from neotoma.substrate import schema
from tests.support.toys import toys

Known = dict[str, Operation]


class Inner(Shape):
    depth: int


class Undescribed(Params):
    name: str
    inner: Inner | None = Field(None, description="An object.")


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[Known]:
    monkeypatch.setattr(schema, "_TYPES", {})
    with toys() as declared:
        del declared["hidden_toy"]
        yield declared


def _change(known: Known, target: str, /, **changes: Any) -> list[str]:
    known[target] = replace(known[target], **changes)
    return checks.gaps()


def test_described_operations_have_no_gap(known: Known) -> None:
    assert checks.gaps() == []


@pytest.mark.parametrize(
    ("name", "changes", "gap"),
    [
        ("get_toy", {"description": " "}, "no description"),
        ("get_toy", {"title": ""}, "no title"),
        ("get_toy", {"scopes": frozenset()}, "no scopes"),
        ("get_toy", {"name": "getToy"}, "the name is not"),
        ("get_toy", {"name": "ab"}, "the name is not"),
        ("get_toy", {"name": "a" * 42}, "the name is not"),
        ("get_toy", {"risk": "mid"}, "declares risk mid, the rules say low"),
        ("make_toy", {"undo": ""}, "declares risk low, the rules say high"),
        ("make_toy", {"crosses": True}, "declares risk low, the rules say high"),
        ("make_toy", {"additive": False}, "declares risk low, the rules say mid"),
        ("make_toy", {"undo": "unmake_toy"}, "undo names the unknown operation unmake_toy"),
        ("get_toy", {"route": Route("GET", "toys/{title}")}, "names {title}, which is no parameter"),
        ("get_toy", {"route": Route("GET", "toys")}, "its route GET toys belongs to find_toys"),
    ],
)
def test_one_flaw_is_one_gap(known: Known, name: str, changes: dict[str, Any], gap: str) -> None:
    found = _change(known, name, **changes)
    assert len(found) == 1 and gap in found[0]


def test_parameters_need_a_description_at_every_depth(known: Known) -> None:
    found = _change(known, "get_toy", params=Undescribed)
    assert found == [
        "get_toy: parameter name has no description",
        "get_toy: parameter Inner.depth has no description",
    ]


def test_routes_are_the_same_whatever_their_placeholders_are_called(known: Known) -> None:
    other = replace(known["get_toy"], name="read_toy", route=Route("GET", "toys/{cursor}"), params=Undescribed)
    assert checks.duplicate_routes([known["get_toy"], other]) == [
        "read_toy: its route GET toys/{cursor} belongs to get_toy"
    ]


def test_an_undescribed_screen_is_a_gap(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "_SCREENS", {})
    screens.declare(screens.Screen("board", "/board/", "Board", ""))
    assert checks.gaps() == ["screen board: no description"]


def test_an_undescribed_entity_type_is_a_gap(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "_TYPES", {})
    schema.register_type(schema.EntityType("toy", ""))
    assert checks.gaps() == ["entity type toy: no description"]


def _check(*options: str) -> None:
    call_command("check", *options, "--tag", "operations", stdout=StringIO(), stderr=StringIO())


def test_a_gap_warns_a_running_instance_and_stops_a_deploy(known: Known) -> None:
    _change(known, "get_toy", title="")
    assert [found.id for found in checks.warn_of_gaps(None)] == ["neotoma.W001"]
    _check()
    with pytest.raises(SystemCheckError, match=r"neotoma\.E001.*get_toy: no title"):
        _check("--deploy")


def test_a_managed_type_names_only_operations_that_exist(known: Known) -> None:
    schema.register_type(schema.EntityType("toy", "A toy.", managed_by=("make_toy", "configure_toys")))
    assert checks.gaps() == ["entity type toy: managed by the unknown operation configure_toys"]

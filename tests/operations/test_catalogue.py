from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone

from neotoma.access.principals import ANONYMOUS, Principal
from neotoma.operations import registry
from neotoma.operations.catalogue import FindOperationsParams, FoundOperations, find_operations, paragraphs, reachable
from neotoma.operations.context import Context
from neotoma.substrate.errors import InvalidInput
from tests.operations.mcp.fakes import BOXES, agent


@pytest.fixture(autouse=True)
def only_boxes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_OPERATIONS", BOXES)
    yield


def found(principal: Principal = ANONYMOUS, **params: Any) -> FoundOperations:
    answer = find_operations(Context(principal, "mcp", timezone.now()), FindOperationsParams(**params))
    assert isinstance(answer, FoundOperations)
    return answer


def names(principal: Principal = ANONYMOUS, **params: Any) -> list[str]:
    return [op.name for op in found(principal, **params).operations]


def test_without_words_it_lists_all_that_the_caller_may_use() -> None:
    assert names() == ["break_box", "find_operations", "lose_box", "make_box", "read_box", "read_thread"]
    assert "purge_box" not in names(agent("write"))
    assert "purge_box" in names(agent("write", staff=True))


def test_the_best_match_comes_first_and_what_does_not_match_is_left_out() -> None:
    assert names(query="LOSE") == ["lose_box"]
    assert names(query="characters read")[0] == "read_box"
    assert names(query="zebra") == []


def test_a_toolset_narrows() -> None:
    assert names(toolset="lost") == ["lose_box"]


def test_each_entry_says_how_to_get_it() -> None:
    (entry,) = found(query="lose").operations
    assert (entry.risk, entry.toolset, entry.default, entry.effect) == ("low", "lost", False, "read")
    assert entry.toolset_url == "http://127.0.0.1:8000/mcp/x/lost"


def test_details_have_the_whole_description() -> None:
    assert found(query="make").operations[0].description == "Make a box."
    detailed = found(query="make", response_format="detailed").operations[0]
    assert detailed.description == "Make a box.\nIt comes back as it was given."


def test_pages_join_up() -> None:
    pages, cursor = [], None
    while True:
        page = found(limit=2, cursor=cursor)
        assert page.total == 6
        pages += [op.name for op in page.operations]
        if (cursor := page.next_cursor) is None:
            break
    assert pages == names()


@pytest.mark.parametrize("cursor", ["x", "-1", "1e3", "\u0661", "9999999"])
def test_a_made_up_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput):
        found(cursor=cursor)


def test_a_guest_token_among_the_arguments_opens_what_takes_one() -> None:
    assert reachable(BOXES["read_thread"], ANONYMOUS)
    assert not reachable(BOXES["purge_box"], ANONYMOUS)


def test_paragraphs_are_lines() -> None:
    assert paragraphs("One\ntwo.\n\n\n  Three\n four. ") == ["One two.", "Three four."]

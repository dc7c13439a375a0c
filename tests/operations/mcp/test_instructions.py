from __future__ import annotations

import pytest

from neotoma.operations.mcp.instructions import INSTRUCTIONS
from neotoma.operations.registry import operations

FIRST = INSTRUCTIONS.split("\n\n")[0]


def test_no_client_has_to_cut() -> None:
    assert len(INSTRUCTIONS) <= 2_000
    assert len(FIRST) <= 512


@pytest.mark.parametrize(
    "word",
    [
        "at once",
        "do not stop to ask",
        "bug, slowness or a missing capability",
        "submit_issue",
        "One call",
        "reporter_git_sha or reporter_app_version",
        "guest_access_token",
        "Never report secrets",
    ],
)
def test_the_first_paragraph_stands_alone(word: str) -> None:
    assert word in FIRST


@pytest.mark.parametrize(
    "word",
    [
        "exact call",
        "exact response",
        "Subscribe in the same call",
        "`after`",
        "stay silent",
        "put the question to your person",
        "offer to update",
        "rerun what broke",
        "confirmed or still_failing",
        "find_operations",
        "/mcp/x/",
        "idempotency_key",
        "never instructions to you",
    ],
)
def test_the_rest_says_how_to_go_on(word: str) -> None:
    assert word in INSTRUCTIONS


@pytest.mark.parametrize("name", ["submit_issue", "get_issue_status", "add_issue_message", "find_operations"])
def test_the_operations_it_names_exist(name: str) -> None:
    assert name in operations()

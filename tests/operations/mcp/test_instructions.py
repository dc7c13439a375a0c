from __future__ import annotations

import re
from pathlib import Path

import pytest

from neotoma.operations.mcp import instructions
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


GUIDE = (Path(instructions.__file__).parent / "guides" / "reporting.md").read_text()
CALLS = ("submit_issue", "add_issue_message", "get_issue_status")
VALUES = {
    "sse",
    "webhook",
    "confirmed",
    "still_failing",
    "fixed_in_version",
    "next_cursor",
    "response_format",
    "hint",
    "details",
}
"""Values, and words of other answers and calls."""


@pytest.mark.parametrize("text", [INSTRUCTIONS, GUIDE], ids=["instructions", "guide"])
def test_every_parameter_that_it_names_exists(text: str) -> None:
    """A parameter is written like code, or like `name: value` in brackets."""
    known = {name for call in CALLS for name in operations()[call].params.model_fields}
    fields = {name for call in CALLS for name in operations()[call].result.model_fields}
    words = {word.partition(":")[0] for word in re.findall(r"`([a-z_]+(?:: \w+)?)`", text)}
    words |= set(re.findall(r"\((\w+): ", text)) | set(re.findall(r"[a-z]+(?:_[a-z]+)+", text))
    named = words - operations().keys() - fields - VALUES
    assert named - known == set()
    assert {"subscribe", "webhook_url", "idempotency_key", "after"} <= words


def test_what_it_says_of_subscribing_is_what_the_call_takes() -> None:
    declared = operations()["submit_issue"].params.model_json_schema()["properties"]["subscribe"]
    assert declared["enum"] == ["none", "sse", "webhook"]

"""A process that is killed in the middle of a submission leaves all of it or nothing."""

from __future__ import annotations

import pytest

from tests.faults.checker import Fault, faults
from tests.faults.steps import drained, submitted
from tests.faults.stored import read

KEY = "the-same-key-in-every-try"


def _found(url: str, sabotage: str) -> tuple[int, list[Fault]]:
    """How many issues the killed process left, and what is wrong after the client's next tries with the same key."""
    killed = submitted(KEY, sabotage)
    assert killed.status == 0
    left = len(read(url).issues)
    attempts = [killed, submitted(KEY), submitted(KEY)]
    drained()
    return left, faults(attempts, read(url))


@pytest.mark.parametrize("moment", ["die_before_key", "die_after_key"])
def test_killed_before_the_commit_leaves_nothing(committed: str, moment: str) -> None:
    assert _found(committed, moment) == (0, [])


def test_killed_after_the_commit_answers_the_same_issue_again(committed: str) -> None:
    assert _found(committed, "die_after_commit") == (1, [])

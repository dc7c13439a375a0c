from __future__ import annotations

from typing import Any

import pytest

from triage.limits import RunCounts, agent_turns, may_publish, may_start_run, wakes
from triage.schemas import DaemonConfig

CONFIG = DaemonConfig()


@pytest.mark.parametrize(
    ("counts", "allowed", "hand_off"),
    [
        ({}, True, False),
        ({"running": 3, "runs_today": 199, "cost_today": 19.99, "agent_turns": 5, "fruitless_runs": 2}, True, False),
        ({"running": 4}, False, False),
        ({"runs_today": 200}, False, False),
        ({"cost_today": 20.0}, False, False),
        ({"agent_turns": 6}, False, True),
        ({"fruitless_runs": 3}, False, True),
        ({"fruitless_runs": 3, "running": 9}, False, True),
    ],
)
def test_runs_start_within_bounds(counts: dict[str, Any], allowed: bool, hand_off: bool) -> None:
    answer = may_start_run(RunCounts(**counts), CONFIG)
    assert (answer.allowed, answer.hand_off, bool(answer.reason)) == (allowed, hand_off, not allowed)


@pytest.mark.parametrize(("hour", "today", "allowed"), [(0, 0, True), (4, 24, True), (5, 5, False), (0, 25, False)])
def test_pull_requests_leave_within_bounds(hour: int, today: int, allowed: bool) -> None:
    assert may_publish(hour, today, CONFIG).allowed == allowed


def test_a_limit_of_nothing_lets_nothing_out() -> None:
    assert not may_publish(0, 0, DaemonConfig(max_prs_per_hour=0)).allowed


@pytest.mark.parametrize(
    ("authors", "turns"),
    [
        ([], 0),
        (["reporter"], 0),
        (["reporter", "daemon", "agent", "daemon"], 3),
        (["daemon", "daemon", "maintainer", "agent"], 1),
        (["reporter", "daemon", "system", "mirror", "agent"], 2),
    ],
)
def test_turns_are_counted_since_a_person_wrote(authors: Any, turns: int) -> None:
    assert agent_turns(authors) == turns


@pytest.mark.parametrize(
    ("actor", "echo", "closed", "by_system", "woken"),
    [
        ("reporter:1", False, False, False, True),
        ("agent:formica", False, False, False, False),
        ("run:7", False, False, False, False),
        ("mirror:github", True, False, False, False),
        ("reporter:1", False, True, False, True),
        ("system", False, True, True, False),
    ],
)
def test_nothing_of_its_own_wakes_it(actor: str, echo: bool, closed: bool, by_system: bool, woken: bool) -> None:
    assert wakes(actor, {"agent:formica", "run:7"}, echo, closed, by_system) == woken

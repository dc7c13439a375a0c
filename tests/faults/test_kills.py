"""kill -9 of every role in random order under load: nothing accepted is lost, nothing is made twice or by half."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.kills import ROLES, cut_power, plan
from tests.faults.ordeal import ordeal
from tests.faults.site import servers, site

SEED = 20


def test_a_seed_repeats_its_order_and_every_round_has_every_role() -> None:
    kills = plan(SEED, 3)
    assert kills == plan(SEED, 3) != plan(SEED + 1, 3)
    rounds = [kills[start : start + len(ROLES)] for start in range(0, len(kills), len(ROLES))]
    assert [sorted(kill.role for kill in one) for one in rounds] == [sorted(ROLES)] * 3
    assert len({tuple(kill.role for kill in one) for one in rounds}) > 1


@pytest.mark.instance
def test_kills_under_load_break_no_promise_and_leave_no_orphan(tmp_path: Path) -> None:
    server, own_redis = servers()
    with site(tmp_path / "data", server, own_redis=own_redis) as place:
        result = ordeal(place, tmp_path, SEED, plan(SEED, 1), patience=90)
        assert result.faults == []
        assert result.accepted > len(ROLES)
        assert len(cut_power(place)) > len(ROLES)

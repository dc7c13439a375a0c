"""A broker that is away costs time, never a submission or an event."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import clientlog
from tests.faults.clientlog import Attempt, p95
from tests.faults.load import Load, in_processes
from tests.faults.ordeal import settle
from tests.faults.site import Site, servers, site

PROCESSES, EACH = 2, 25
MEASURES = 3
BACK_WITHIN_S = 60.0


def _submit_fifty(place: Site, folder: Path, seed: int) -> list[Attempt]:
    load = Load(place.instance.base_url, place.instance.reporter_token, seed, threads=1, each=EACH)
    with in_processes(load, folder, PROCESSES) as logs:
        pass
    return clientlog.read(logs)


@pytest.mark.instance
def test_submissions_go_on_without_a_broker_and_events_go_out_when_it_is_back(tmp_path: Path) -> None:
    server, _ = servers()
    with site(tmp_path / "data", server, own_redis=True) as place:
        assert place.redis is not None
        place.redis.kill()
        attempts, slow = list[Attempt](), list[float]()
        for seed in range(MEASURES):  # the machine may be busy with other things
            tried = _submit_fifty(place, tmp_path, seed)
            assert [attempt.status for attempt in tried] == [201] * PROCESSES * EACH
            attempts += tried
            slow.append(p95(tried))
            if slow[-1] < 1.0:
                break
        assert min(slow) < 1.0
        assert place.hook.requests == []
        place.redis.start()
        found, settled = settle(place, attempts, BACK_WITHIN_S)
        assert found == []
        assert settled < BACK_WITHIN_S
        told = [request.headers["webhook-id"] for request in place.hook.requests]
        assert len(told) == len(set(told)) >= len(attempts)

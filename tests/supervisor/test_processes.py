"""One kept process."""

import os
import sys
import time
from pathlib import Path

import pytest

from neotoma.supervisor.processes import STEADY_AFTER, Kept, restart_delay
from neotoma.supervisor.services import Service

SLEEPER = (sys.executable, "-c", "import time; time.sleep(60)")


@pytest.mark.parametrize(("failures", "delay"), [(0, 0.0), (1, 0.5), (2, 1.0), (4, 4.0), (7, 30.0), (500, 30.0)])
def test_who_keeps_failing_waits_longer(failures: int, delay: float) -> None:
    assert restart_delay(failures) == delay


def _wait(kept: Kept) -> None:
    assert kept.process is not None
    kept.process.wait(10)


def test_a_short_life_counts_as_a_failure_and_a_long_one_forgets() -> None:
    kept = Kept(Service("short", (sys.executable, "-c", "raise SystemExit(3)")))
    kept.start(os.environ, now=100.0)
    _wait(kept)
    assert kept.ended(now=101.0) == 3
    assert (kept.pid, kept.failures, kept.due_at) == (None, 1, 101.5)
    kept.start(os.environ, now=102.0)
    _wait(kept)
    assert kept.ended(now=102.0 + STEADY_AFTER) == 3
    assert kept.failures == 0


def test_a_running_process_has_not_ended() -> None:
    kept = Kept(Service("sleeper", SLEEPER))
    kept.start(os.environ, now=0.0)
    assert kept.ended(now=1.0) is None
    assert not kept.is_gone()
    kept.kill()
    assert kept.is_gone()


def test_what_a_process_left_behind_ends_with_it(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = f"import subprocess, sys; p = subprocess.Popen({SLEEPER!r}); open({str(note)!r}, 'w').write(str(p.pid))"
    kept = Kept(Service("parent", (sys.executable, "-c", script)))
    kept.start(os.environ, now=0.0)
    _wait(kept)
    child = Path("/proc", note.read_text())
    assert child.exists()
    assert kept.ended(now=1.0) == 0
    deadline = time.monotonic() + 10
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _runs(child)


def _runs(entry: Path) -> bool:
    try:
        return (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_service_sees_its_own_variables_over_the_shared_ones(tmp_path: Path) -> None:
    note = tmp_path / "seen"
    script = f"import os; open({str(note)!r}, 'w').write(os.environ['A'] + os.environ['B'])"
    kept = Kept(Service("reader", (sys.executable, "-c", script), {"B": "own"}))
    kept.start({**os.environ, "A": "shared-", "B": "shared"}, now=0.0)
    _wait(kept)
    assert note.read_text() == "shared-own"

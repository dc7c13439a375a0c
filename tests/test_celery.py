"""Routes, broker options and the schedule."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from neotoma.celery import SCHEDULE, app, transport_options
from neotoma.lifeline import SUPERVISED
from neotoma.queues import QUEUES
from tests.instance import ROOT


@pytest.mark.parametrize(
    ("task", "queue"),
    [
        ("triage.runner.tasks.run", "runner"),
        ("triage.tasks.assess", "triage"),
        ("issues.mirror.tasks.push", "mirror"),
        ("issues.tasks.sweep", "issues"),
        ("webhooks.tasks.deliver", "webhooks"),
        ("neotoma.tasks.drain_all", "upkeep"),
    ],
)
def test_each_task_goes_to_its_own_queue(task: str, queue: str) -> None:
    route = app.amqp.router.route({}, task)
    assert route["queue"].name == queue
    assert queue in QUEUES


AS_ROOT = """
import os
os.getuid = lambda: 0
import neotoma.celery
from celery.platforms import check_privileges
check_privileges(["json"])
"""


@pytest.mark.parametrize(("environ", "warned"), [({SUPERVISED: "1"}, False), ({}, True)])
def test_only_a_worker_that_the_greeting_does_not_speak_for_warns_of_root(
    environ: dict[str, str], warned: bool, tmp_path: Path
) -> None:
    outside = {name: value for name, value in os.environ.items() if name not in (SUPERVISED, "PYTHONWARNINGS")}
    found = subprocess.run(
        [sys.executable, "-c", AS_ROOT],
        cwd=ROOT,
        env={**outside, "NEOTOMA_DATA": str(tmp_path), **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert ("SecurityWarning" in found.stderr) is warned
    assert warned or found.stderr == ""


def test_redis_gives_a_task_back_only_after_the_longest_one() -> None:
    options = transport_options("redis://127.0.0.1:6379/0", Path("/data"), "", 3600)
    assert options["visibility_timeout"] > 3600
    assert "global_keyprefix" not in options
    assert transport_options("redis://127.0.0.1", Path("/data"), "mine-", 60)["global_keyprefix"] == "mine-"


def test_files_stay_in_the_data_folder() -> None:
    options = transport_options("filesystem://", Path("/data"), "", 60)
    assert options["data_folder_in"] == options["data_folder_out"] == "/data/broker"
    assert options["polling_interval"] == 0.05


def test_another_broker_needs_its_url_only() -> None:
    assert transport_options("amqp://guest@localhost//", Path("/data"), "", 60) == {}


def test_every_scheduled_task_exists() -> None:
    app.loader.import_default_modules()
    missing = {entry["task"] for entry in SCHEDULE.values()} - set(app.tasks)
    assert missing == set()


def test_no_sweep_waits_behind_its_next_one() -> None:
    schedule = app.conf.beat_schedule
    assert schedule.keys() == SCHEDULE.keys()
    assert all(one["options"]["expires"] == one["schedule"] for one in schedule.values())

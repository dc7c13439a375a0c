"""The daemon of a whole instance: its own workers and queues, over HTTP, on a checkout with a known bug."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from neotoma.operations.client import Client
from tests.instance import Instance, running_instance, wait_for
from tests.triage.desk import BODY
from triage.repository import commit_of

pytestmark = pytest.mark.instance

SECONDS = 60.0


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    folder = tmp_path_factory.mktemp("triage")
    with running_instance(folder, os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")) as running:
        yield running


def test_from_a_report_to_a_worktree(instance: Instance, sample: Path) -> None:
    operator = Client(instance.base_url, instance.operator_token)
    reporter = Client(instance.base_url, instance.reporter_token)

    def status() -> dict[str, Any]:
        return operator.call("daemon_status", daemon="formica")

    def plans() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = operator.call("retrieve_entities", entity_type="plan")["entities"]
        return found

    def until(key: str) -> dict[str, Any]:
        wait_for(lambda: bool(status()[key]), SECONDS, lambda: str(status()))
        first: dict[str, Any] = status()[key][0]
        return first

    operator.call("configure_daemon", daemon="formica", fields={"repo": str(sample)})
    reporter.submit_issue("Storing an entity drops a declared field", BODY, reporter_app_version="1.1.0")
    preview = until("previews")
    assert (preview["classification"], plans()) == ("bug", [])

    operator.call("release_preview", case_id=preview["case_id"])
    wait_for(lambda: len(plans()) == 1, SECONDS, lambda: str(status()))
    [plan] = plans()
    assert plan["snapshot"]["files_suspected"] == ["shelf/store.py"]

    operator.call("approve_plan", plan_id=plan["entity_id"], revision=plan["snapshot"]["revision"])
    handed = until("handed_off")
    place = Path(handed["worktree"])
    assert commit_of(place, "HEAD") == plan["snapshot"]["base_sha"]
    assert place.is_relative_to(instance.data / "worktrees")

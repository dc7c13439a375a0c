from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.invoke import Caller, call
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Event
from tests.support import callers
from tests.triage.desk import VAGUE, case_of, configured, filed, live, settled
from triage.models import DaemonConfig
from triage.schemas import MAX_COUNT

pytestmark = pytest.mark.django_db


def refused(name: str, arguments: dict[str, Any], caller: Caller | None = None) -> Refusal:
    with pytest.raises(Refusal) as caught:
        call(name, arguments, caller or callers.operator())
    return caught.value


def test_one_call_makes_and_changes_the_default_daemon() -> None:
    answer = call("configure_daemon", {"fields": {"reporting_mode": "proactive"}}, callers.operator())
    assert answer["daemon_config"]["reporting_mode"] == "proactive"
    assert (answer["daemon_config"]["name"], answer["daemon_config"]["active"]) == ("formica", True)
    again = call("configure_daemon", {"active": False}, callers.operator())
    assert again["entity_id"] == answer["entity_id"]
    row = DaemonConfig.objects.get(name="formica")
    assert (row.active, row.reporting_mode, row.entity_id) == (False, "proactive", answer["entity_id"])


def test_the_default_daemon_is_there_when_it_is_needed_first() -> None:
    filed()
    settled()
    row = DaemonConfig.objects.get(name="formica")
    assert (row.active, row.dry_run, row.repo, row.filter) == (True, True, "", {"entity_types": ["issue"]})


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"speed": 9}, "fields.speed"),
        ({"reporting_mode": "wild"}, "fields.reporting_mode"),
        ({"concurrency": 0}, "fields.concurrency"),
        ({"name": "other"}, "fields.name"),
        ({"max_cost_per_day": "inf"}, "fields.max_cost_per_day"),
        ({"max_cost_per_day": "nan"}, "fields.max_cost_per_day"),
        ({"max_cost_per_day": 1e300}, "fields.max_cost_per_day"),
        ({"max_prs_per_hour": 10**18}, "fields.max_prs_per_hour"),
        ({"max_prs_per_day": 2**31}, "fields.max_prs_per_day"),
        ({"max_runs_per_day": 2**31}, "fields.max_runs_per_day"),
        ({"max_runs_per_day": -1}, "fields.max_runs_per_day"),
        ({"concurrency": 65}, "fields.concurrency"),
        ({"repo": "/" + "r" * 500}, "fields.repo"),
        ({"planner": "p" * 61}, "fields.planner"),
        ({"agent": "a" * 61}, "fields.agent"),
        ({"repo": "relative/path"}, "fields.repo"),
        ({"filter": {}}, "fields.filter"),
        ({"filter": {"colour": ["red"]}}, "fields.filter.colour"),
        ({"filter": {"entity_types": "issue"}}, "fields.filter.entity_types"),
        ({"filter": {"event_types": ["entity.exploded"]}}, "event_types"),
    ],
)
def test_a_wrong_switch_is_named_and_nothing_changes(fields: dict[str, Any], path: str) -> None:
    refusal = refused("configure_daemon", {"fields": {"active": False, **fields}})
    assert (refusal.status, refusal.details["fields"][0]["path"]) == (422, path)
    assert not DaemonConfig.objects.exists()


def test_the_largest_values_fit_into_the_database() -> None:
    budgets = dict.fromkeys(("max_prs_per_hour", "max_prs_per_day", "max_runs_per_day", "max_cost_per_day"), MAX_COUNT)
    fields = {**budgets, "concurrency": 64, "repo": "/" + "r" * 499}
    answer = call("configure_daemon", {"daemon": "d" * 40, "fields": fields}, callers.operator())
    assert {name: answer["daemon_config"][name] for name in fields} == fields


@pytest.mark.parametrize("switch", ["planner", "agent"])
def test_no_program_is_named_over_the_wire(switch: str) -> None:
    refusal = refused("configure_daemon", {"fields": {switch: "rm -rf /"}})
    assert (refusal.error_code, refusal.details["field"]) == ("UNKNOWN_COMMAND", f"fields.{switch}")


def test_one_switch_has_one_value() -> None:
    assert refused("configure_daemon", {"active": True, "fields": {"active": False}}).status == 422


@pytest.mark.parametrize("name", ["configure_daemon", "pause", "resume"])
def test_only_an_operator_switches(name: str) -> None:
    assert refused(name, {}, callers.agent("maintain", name="steward")).error_code == "INSUFFICIENT_SCOPE"


def test_pausing_twice_is_one_event() -> None:
    live()
    before = Event.objects.count()
    assert call("pause", {}, callers.operator())["active"] is False
    between = Event.objects.count()
    assert call("pause", {}, callers.operator())["active"] is False
    assert between > before
    assert Event.objects.count() == between


def test_an_unknown_daemon_is_not_paused() -> None:
    assert refused("pause", {"daemon": "nobody"}).error_code == "NOT_FOUND"
    assert refused("daemon_status", {"daemon": "nobody"}).error_code == "NOT_FOUND"


def test_the_status_of_a_daemon_that_nobody_has_configured() -> None:
    status = call("daemon_status", {}, callers.operator())
    assert (status["active"], status["reporting_mode"], status["running"], status["queued"]) == (True, "consent", [], 0)
    assert status["prs_this_hour"] == 0


def test_the_status_shows_previews_and_what_waits() -> None:
    configured(released_kinds=["bug"])
    wish = filed(title="Add an export", body="Please add an export of everything as one file.", kind="enhancement")
    filed(**VAGUE)
    settled()
    status = call("daemon_status", {}, callers.operator())
    assert status["cases"] == {"previewed": 1, "waiting": 1}
    [preview] = status["previews"]
    assert (preview["case_id"], preview["classification"]) == (case_of(wish).pk, "enhancement")
    assert preview["preview"]["would_plan"]["kind"] == "proposal"


def test_a_preview_is_released_once() -> None:
    issue = filed()
    settled()
    case_id = case_of(issue).pk
    answer = call("release_preview", {"case_id": case_id}, callers.operator())
    assert answer["case"] == {
        "case_id": case_id,
        "state": "new",
        "classification": "bug",
        "issue_id": issue["entity_id"],
        "daemon": "formica",
    }
    assert refused("release_preview", {"case_id": case_id}).error_code == "CASE_STATE_CONFLICT"
    assert refused("release_preview", {"case_id": 10_000}).error_code == "NOT_FOUND"


def test_processing_takes_up_what_was_missed() -> None:
    live(filter={"entity_ids": ["ent_" + "0" * 24]})
    issue = filed()
    assert settled() == []
    answer = call("process_issues", {}, callers.operator())
    assert (answer["opened"], answer["due"]) == (1, 1)
    assert answer["summary"].startswith("formica is at work; 1 opened, 1 being looked at.")
    settled()
    assert case_of(issue).state == "planned"
    assert call("process_issues", {}, callers.operator())["opened"] == 0

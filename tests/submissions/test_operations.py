from __future__ import annotations

import pytest

from neotoma.operations.invoke import call
from neotoma.operations.models import AuditEntry
from neotoma.submissions.config import policy_of
from neotoma.submissions.models import SubmissionConfig
from neotoma.submissions.operations import TypeConfiguredTwice
from neotoma.substrate.errors import InvalidInput, Refusal
from tests.support import callers

pytestmark = pytest.mark.django_db

TICKETS = {"config_key": "tickets", "target_entity_type": "ticket", "access_policy": "open"}


def test_a_type_is_opened_changed_and_closed_again() -> None:
    boss = callers.operator()
    assert policy_of("ticket") == "closed"
    first = call("configure_submissions", TICKETS, boss)
    assert policy_of("ticket") == "open"
    again = call("configure_submissions", {"config_key": "tickets", "threading": False}, boss)
    assert again["entity_id"] == first["entity_id"]
    assert again["submission_config"] == {**first["submission_config"], "threading": False}
    call("configure_submissions", {"config_key": "tickets", "active": False}, boss)
    assert policy_of("ticket") == "closed"
    row = SubmissionConfig.objects.get()
    assert (row.target_entity_type, row.threading, row.active, row.guest_read_back) == ("ticket", False, False, True)
    entries = AuditEntry.objects.filter(operation="configure_submissions", subject=first["entity_id"])
    assert entries.count() == 3


def test_closing_issues_keeps_strangers_out() -> None:
    closed = {"config_key": "issues", "target_entity_type": "issue", "access_policy": "closed"}
    call("configure_submissions", closed, callers.operator())
    with pytest.raises(Refusal) as refused:
        callers.filed(callers.anonymous())
    assert refused.value.error_code == "SUBMISSION_CLOSED"


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"target_entity_type": None}, "target_entity_type"),
        ({"target_entity_type": "plan"}, "target_entity_type"),
        ({"target_entity_type": "Ticket"}, "target_entity_type"),
        ({"config_key": "no key"}, "config_key"),
        ({"access_policy": "everyone"}, "access_policy"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_written(change: dict[str, object], path: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        call("configure_submissions", {**TICKETS, **change}, callers.operator())
    assert refused.value.details["fields"][0]["path"] == path
    assert not SubmissionConfig.objects.exists()


def test_one_active_config_speaks_for_a_type() -> None:
    boss = callers.operator()
    call("configure_submissions", TICKETS, boss)
    with pytest.raises(TypeConfiguredTwice):
        call("configure_submissions", {**TICKETS, "config_key": "more_tickets"}, boss)
    spare = call("configure_submissions", {**TICKETS, "config_key": "more_tickets", "active": False}, boss)
    assert spare["submission_config"]["active"] is False
    with pytest.raises(TypeConfiguredTwice):
        call("configure_submissions", {"config_key": "more_tickets", "active": True}, boss)

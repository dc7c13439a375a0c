from __future__ import annotations

import threading
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection

from issues.models import Issue
from neotoma.access.models import GuestToken
from neotoma.operations.invoke import call
from neotoma.operations.models import AuditEntry, Call
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Entity, Event, Observation, Source
from tests.support import callers

pytestmark = pytest.mark.django_db

REPORT = {"title": "t", "body": "b", "reporter_app_version": "1.0"}


def refused(name: str, arguments: dict[str, Any], caller: Any) -> Refusal:
    with pytest.raises(Refusal) as info:
        call(name, arguments, caller)
    return info.value


def test_a_replay_answers_the_same_with_the_same_token_and_writes_nothing() -> None:
    reporter = callers.reporter()
    first = call("submit_issue", {**REPORT, "idempotency_key": "k"}, reporter)
    counts = [model.objects.count() for model in (Entity, Observation, Event, GuestToken, AuditEntry, Source)]
    again = call("submit_issue", {"idempotency_key": "k", **dict(reversed(REPORT.items()))}, reporter)
    assert again == {**first, "replayed": True}
    assert counts == [model.objects.count() for model in (Entity, Observation, Event, GuestToken, AuditEntry, Source)]


def test_no_secret_is_saved_with_the_answer() -> None:
    answer = call("submit_issue", {**REPORT, "idempotency_key": "k"}, callers.reporter())
    assert answer["guest_access_token"] not in str(Call.objects.values())
    assert answer["guest_access_token"] not in str(GuestToken.objects.values())


def test_the_key_with_other_content_is_a_conflict() -> None:
    reporter = callers.reporter()
    call("submit_issue", {**REPORT, "idempotency_key": "k"}, reporter)
    refusal = refused("submit_issue", {**REPORT, "title": "other", "idempotency_key": "k"}, reporter)
    assert (refusal.status, refusal.error_code) == (409, "IDEMPOTENCY_MISMATCH")
    assert Issue.objects.count() == 1


def test_keys_belong_to_their_principal() -> None:
    for name in ("one", "two"):
        call("submit_issue", {**REPORT, "idempotency_key": "k"}, callers.reporter(name))
    assert Issue.objects.count() == 2


def test_the_keys_of_two_grants_of_one_actor_are_apart() -> None:
    reporter = callers.reporter()
    one, two = callers.filed(reporter), callers.filed(reporter)
    answers = [
        call(
            "add_issue_message",
            {"issue_number": issue["issue_number"], "body": "same words", "idempotency_key": "k"},
            callers.guest(issue["guest_access_token"]),
        )
        for issue in (one, two)
    ]
    assert [answer["issue_number"] for answer in answers] == [one["issue_number"], two["issue_number"]]
    assert not any(answer["replayed"] for answer in answers)


def test_refusals_of_the_nameless_are_bounded(settings: LazySettings) -> None:
    settings.NEOTOMA_REFUSALS_PER_HOUR = 3
    codes = [refused("close_issue", {}, callers.anonymous()).error_code for _ in range(3)]
    arguments = {"issue_number": 1, "guest_access_token": "gst_unknown"}
    codes += [refused("get_issue_status", arguments, callers.anonymous()).error_code for _ in range(3)]
    assert codes == ["AUTH_REQUIRED"] * 3 + ["RATE_LIMITED"] * 3
    assert AuditEntry.objects.count() == 3


def test_an_anonymous_key_must_be_hard_to_guess() -> None:
    refusal = refused("submit_issue", {**REPORT, "idempotency_key": "short"}, callers.anonymous())
    assert refusal.details["fields"][0]["path"] == "idempotency_key"
    assert not Issue.objects.exists()


def test_a_refused_write_leaves_nothing_but_its_audit_row() -> None:
    refusal = refused("submit_issue", {**REPORT, "entity_ids_to_link": ["ent_" + "0" * 24]}, callers.reporter())
    assert refusal.error_code == "LINK_TARGET_UNKNOWN"
    assert refusal.details["path"] == "entity_ids_to_link.0"
    assert not Entity.objects.exists()
    assert not Event.objects.exists()
    assert not Source.objects.exists()
    assert AuditEntry.objects.get().error_code == "LINK_TARGET_UNKNOWN"


def test_unknown_arguments_are_refused_by_name() -> None:
    refusal = refused("submit_issue", {**REPORT, "priority": 1}, callers.reporter())
    assert refusal.details["fields"][0]["path"] == "priority"


def test_a_done_write_has_one_audit_row_about_its_subject() -> None:
    answer = call("submit_issue", REPORT, callers.reporter())
    entry = AuditEntry.objects.get()
    assert (entry.operation, entry.outcome, entry.subject) == ("submit_issue", "done", answer["entity_id"])
    assert entry.role == "reporter"


def test_a_bad_guest_argument_never_falls_back_to_the_header() -> None:
    issue = callers.filed(callers.reporter())
    arguments = {"issue_number": issue["issue_number"], "guest_access_token": "gst_nothing"}
    refusal = refused("get_issue_status", arguments, callers.operator())
    assert (refusal.status, refusal.error_code) == (401, "GUEST_TOKEN_INVALID")


@pytest.mark.parametrize("count", [1, 5])
def test_status_needs_a_constant_number_of_queries(count: int, django_assert_num_queries: Any) -> None:
    issue = callers.filed(callers.reporter())
    for number in range(count):
        arguments = {"issue_number": issue["issue_number"], "body": f"message {number}"}
        call("add_issue_message", arguments, callers.operator())
    arguments = {"issue_number": issue["issue_number"], "guest_access_token": issue["guest_access_token"]}
    with django_assert_num_queries(4):
        call("get_issue_status", arguments, callers.anonymous())
    assert connection.in_atomic_block  # the test's own; a read opens none
    assert threading.active_count() >= 1

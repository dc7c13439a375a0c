from __future__ import annotations

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate import queries
from neotoma.substrate.errors import NotFound
from tests.support import callers
from tests.triage.desk import BODY, filed
from triage import tracker as tracker_module
from triage.schemas import LinkedEntity, MissingDetail
from triage.tracker import Tracker

pytestmark = pytest.mark.django_db

BUILD = {"reporter_app_version": "9.9.9"}
STEPS = MissingDetail(field="steps", question="Which calls?", reason="none were named")


def test_the_whole_thread_is_read_page_by_page() -> None:
    issue = filed(labels=["area/store"], visibility="private")
    for number in range(60):
        body = {"issue_number": issue["issue_number"], "body": f"Message {number}"}
        call("add_issue_message", body, callers.reporter())
    thread = Tracker("formica").read(issue["entity_id"])
    assert [message.body for message in thread.report.messages] == [f"Message {number}" for number in range(60)]
    assert (thread.report.body, thread.report.labels, thread.report.visibility) == (BODY, ("area/store",), "private")
    assert (len(thread.authors), thread.open, thread.asked) == (61, True, frozenset())


def test_linked_entities_come_with_a_line() -> None:
    book = callers.stored(callers.reporter(), entity_type="book", title="Ants")
    issue = filed(entity_ids_to_link=[book])
    [linked] = Tracker("formica").read(issue["entity_id"]).report.linked_entities
    assert linked == LinkedEntity(entity_id=book, entity_type="book", summary="Ants")


def test_the_last_build_that_the_reporter_named_counts() -> None:
    issue = filed(reporter_git_sha="a" * 40, reporter_app_version=None, reporter_git_ref="topic")
    number, tracker = {"issue_number": issue["issue_number"]}, Tracker("formica")
    call("add_issue_message", {**number, "body": "more", "reporter_channel": "nightly"}, callers.reporter())
    report = tracker.read(issue["entity_id"]).report
    assert (report.reporter_git_sha, report.reporter_git_ref, report.reporter_channel) == ("a" * 40, "topic", "nightly")
    call("add_issue_message", {**number, "body": "tested", "reporter_app_version": "2.0"}, callers.operator())
    assert tracker.read(issue["entity_id"]).report.reporter_git_sha == "a" * 40
    call("add_issue_message", {**number, "body": "it was", "reporter_app_version": "1.1.0"}, callers.reporter())
    report = tracker.read(issue["entity_id"]).report
    assert (report.reporter_git_sha, report.reporter_app_version, report.reporter_git_ref) == (None, "1.1.0", None)


def test_a_question_is_put_once_and_an_answer_is_noticed() -> None:
    issue, tracker = filed(), Tracker("formica")
    thread = tracker.read(issue["entity_id"])
    tracker.ask(thread.report, "Which calls?", [STEPS], BUILD)
    tracker.ask(thread.report, "Which calls?", [STEPS], BUILD)
    thread = tracker.read(issue["entity_id"])
    assert (thread.asked, thread.answered, thread.authors) == (frozenset({"steps"}), False, ("reporter", "daemon"))
    call("add_issue_message", {"issue_number": issue["issue_number"], "body": "These."}, callers.reporter())
    assert tracker.read(issue["entity_id"]).answered


def test_other_open_issues_are_candidates_with_their_links() -> None:
    book = callers.stored(callers.reporter(), title="Ants")
    first, second = filed(entity_ids_to_link=[book]), filed(entity_ids_to_link=[book])
    closed = filed(title="Over")
    resolution = {"issue_number": closed["issue_number"], "resolution": {"kind": "answered"}}
    call("close_issue", resolution, callers.operator())
    tracker = Tracker("formica")
    [candidate] = tracker.open_reports(tracker.read(first["entity_id"]).report)
    assert candidate.entity_id == second["entity_id"]
    assert [linked.entity_id for linked in candidate.linked_entities] == [book]


def test_a_withdrawn_issue_is_not_found() -> None:
    issue = filed()
    call("withdraw_issue", {"issue_number": issue["issue_number"]}, callers.reporter())
    with pytest.raises(NotFound):
        Tracker("formica").read(issue["entity_id"])


def test_candidates_are_found_among_more_issues_than_a_scan_may_touch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "SCAN_LIMIT", 1)
    first, second, third = filed(), filed(), filed(labels=["area/store"], visibility="private")
    tracker = Tracker("formica")
    found = tracker.open_reports(tracker.read(first["entity_id"]).report)
    assert [other.entity_id for other in found] == [third["entity_id"], second["entity_id"]]
    assert {other.body for other in found} == {BODY}
    assert (found[0].labels, found[0].visibility) == (("area/store",), "private")


def test_only_the_bodies_nearest_by_title_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracker_module, "MAX_BODIES", 1)
    issue, near, far = filed(), filed(), filed(title="Colours are wrong")
    tracker = Tracker("formica")
    found = tracker.open_reports(tracker.read(issue["entity_id"]).report)
    assert {other.entity_id: other.body for other in found} == {near["entity_id"]: BODY, far["entity_id"]: ""}

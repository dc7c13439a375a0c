from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from issues.models import Issue
from neotoma.access.models import GuestToken
from neotoma.operations.invoke import Caller, call
from neotoma.submissions.models import Message
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Event, Observation, Relationship
from tests.support import callers

pytestmark = pytest.mark.django_db


@pytest.fixture
def issue() -> dict[str, Any]:
    return callers.filed(callers.reporter())


def say(issue: dict[str, Any], body: str, caller: Caller, **more: Any) -> dict[str, Any]:
    return call("add_issue_message", {"issue_number": issue["issue_number"], "body": body, **more}, caller)


def read(issue: dict[str, Any], **more: Any) -> dict[str, Any]:
    arguments = {"issue_number": issue["issue_number"], "guest_access_token": issue["guest_access_token"], **more}
    return call("get_issue_status", arguments, callers.anonymous())


def refused(name: str, arguments: dict[str, Any], caller: Caller) -> Refusal:
    with pytest.raises(Refusal) as info:
        call(name, arguments, caller)
    return info.value


def test_question_answer_and_whose_turn_it_is(issue: dict[str, Any]) -> None:
    boss = callers.operator()
    assert say(issue, "Which build?", boss)["awaiting"] == "reporter"
    answer = say(issue, "1.2.4", callers.guest(issue["guest_access_token"]), reporter_app_version="1.2.4")
    assert answer["awaiting"] == "maintainer"
    assert say(issue, "Thanks.", boss)["awaiting"] == "none"
    shown = read(issue)
    assert [(m["author"]["kind"], m["body"]) for m in shown["messages"]] == [
        ("reporter", "A field is lost."),
        ("maintainer", "Which build?"),
        ("reporter", "1.2.4"),
        ("maintainer", "Thanks."),
    ]
    assert [m["position"] for m in shown["messages"]] == [1, 2, 3, 4]


def test_nothing_new_is_unchanged_and_something_new_is_only_the_new(issue: dict[str, Any]) -> None:
    first = read(issue)
    assert read(issue, after=first["cursor"])["unchanged"] is True
    say(issue, "Looking.", callers.operator())
    second = read(issue, after=first["cursor"])
    assert second["unchanged"] is False
    assert [m["body"] for m in second["messages"]] == ["Looking."]
    call("close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": "answered"}}, callers.operator())
    third = read(issue, after=second["cursor"])
    assert (third["unchanged"], third["state"], third["messages"]) == (False, "closed", [])
    assert third["resolution"]["kind"] == "answered"


def pages(issue: dict[str, Any]) -> list[dict[str, Any]]:
    found = [read(issue)]
    while found[-1]["more"]:
        found.append(read(issue, after=found[-1]["cursor"]))
    return found


def texts(found: list[dict[str, Any]]) -> list[str]:
    """The texts of the thread, put together again from all pages."""
    whole: dict[int, str] = {}
    for message in (m for page in found for m in page["messages"]):
        assert message.get("offset", 0) == len(whole.get(message["position"], ""))
        whole[message["position"]] = whole.get(message["position"], "") + message["body"]
    return [whole[position] for position in sorted(whole)]


def test_a_long_thread_comes_in_pages_without_gap_or_repeat(issue: dict[str, Any]) -> None:
    boss = callers.operator()
    bodies = [f"{number} " + "x\n" * 2_000 for number in range(6)] + ['"' * 40_000, "short", "ü" * 30_000]
    for body in bodies:
        say(issue, body, boss)
    found = pages(issue)
    assert texts(found) == ["A field is lost.", *bodies]
    assert len(found) > 5
    assert max(len(json.dumps(page)) for page in found) < 20_000 + 6 * 14_000  # ASCII escapes at their worst
    assert max(len(json.dumps(page, ensure_ascii=False)) for page in found) < 20_000
    assert read(issue, after=found[-1]["cursor"])["unchanged"] is True


def test_the_open_question_is_always_on_the_first_page(issue: dict[str, Any]) -> None:
    boss = callers.operator()
    for number in range(3):
        say(issue, f"{number} " + "x" * 14_000, boss, asks=False)
    say(issue, "Which build?", boss)
    first = read(issue)
    assert first["more"] is True
    assert first["question"]["body"] == "Which build?"
    assert "question" not in pages(issue)[-1]


def test_a_message_is_also_a_fact_about_its_issue(issue: dict[str, Any]) -> None:
    seq = Event.objects.latest("seq").seq
    say(issue, "Looking.", callers.operator())
    new = Event.objects.filter(seq__gt=seq)
    assert new.filter(
        event_type="entity.created", entity_type="conversation_message", thread_id=issue["entity_id"]
    ).exists()
    updated = new.get(event_type="entity.updated", entity_id=issue["entity_id"])
    assert {"last_message_at", "message_count", "awaiting"} <= updated.fields_changed.keys()


def test_links_of_a_message_are_stated(issue: dict[str, Any]) -> None:
    boss = callers.operator()
    target = callers.stored(boss, title="evidence")
    message = say(issue, "see", boss, entity_ids_to_link=[target])
    assert message["linked_entity_ids"] == [target]
    assert Relationship.objects.filter(source_id=message["message_id"], target_id=target).exists()


def test_still_failing_reopens_a_closed_issue(issue: dict[str, Any]) -> None:
    call("close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": "fixed"}}, callers.operator())
    guest = callers.guest(issue["guest_access_token"])
    without = refused(
        "add_issue_message",
        {"issue_number": issue["issue_number"], "body": "no", "verification": "still_failing"},
        guest,
    )
    assert without.error_code == "ERR_REPORTER_ENVIRONMENT_REQUIRED"
    answer = say(issue, "no", guest, verification="still_failing", reporter_app_version="1.3")
    assert answer["status"] == "todo"
    row = Issue.objects.get(pk=issue["entity_id"])
    assert (row.state, row.resolution, row.closed_at) == ("open", None, None)


def test_confirmed_leaves_it_closed(issue: dict[str, Any]) -> None:
    call("close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": "fixed"}}, callers.operator())
    answer = say(issue, "works", callers.guest(issue["guest_access_token"]), verification="confirmed")
    assert answer["status"] == "done"


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("fixed", "done"),
        ("answered", "done"),
        ("wont_fix", "cancelled"),
        ("by_design", "cancelled"),
        ("test", "cancelled"),
    ],
)
def test_the_resolution_decides_the_status(issue: dict[str, Any], kind: str, status: str) -> None:
    boss = callers.operator()
    closed = call(
        "close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": kind}, "message": "bye"}, boss
    )
    assert (closed["state"], closed["status"]) == ("closed", status)
    again = refused("close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": kind}}, boss)
    assert (again.status, again.error_code) == (409, "ISSUE_STATE_CONFLICT")
    opened = call("reopen_issue", {"issue_number": issue["issue_number"], "reason": "still there"}, boss)
    assert (opened["state"], opened["status"]) == ("open", "todo")
    assert [m["body"] for m in read(issue)["messages"]][-2:] == ["bye", "still there"]


def test_a_duplicate_names_its_original(issue: dict[str, Any]) -> None:
    original = callers.filed(callers.reporter())
    boss = callers.operator()
    resolution = {"kind": "duplicate", "duplicate_of": original["issue_number"]}
    call("close_issue", {"issue_number": issue["issue_number"], "resolution": resolution}, boss)
    edge = Relationship.objects.get(relationship_type="DUPLICATE_OF")
    assert (edge.source_id, edge.target_id) == (issue["entity_id"], original["entity_id"])
    own = {"kind": "duplicate", "duplicate_of": original["issue_number"]}
    assert refused("close_issue", {"issue_number": original["issue_number"], "resolution": own}, boss).status == 422


def test_a_withdrawn_message_no_longer_shows_and_its_history_stays(issue: dict[str, Any]) -> None:
    guest = callers.guest(issue["guest_access_token"])
    message = say(issue, "oops", guest)
    call("withdraw_message", {"message_id": message["message_id"]}, guest)
    assert [m["body"] for m in read(issue)["messages"]] == ["A field is lost."]
    assert Observation.objects.filter(entity_id=message["message_id"]).count() == 2
    assert say(issue, "next", guest)["position"] == 3


def test_a_restored_message_stands_at_its_old_place(issue: dict[str, Any]) -> None:
    guest = callers.guest(issue["guest_access_token"])
    message = say(issue, "first", guest)
    say(issue, "second", guest)
    call("withdraw_message", {"message_id": message["message_id"]}, guest)
    cursor = read(issue)["cursor"]
    call("restore_message", {"message_id": message["message_id"]}, guest)
    assert [m["body"] for m in read(issue)["messages"]] == ["A field is lost.", "first", "second"]
    assert read(issue, after=cursor)["unchanged"] is False


def test_a_restored_issue_is_back_with_its_thread(issue: dict[str, Any]) -> None:
    reporter, reference = callers.reporter(), {"issue_number": issue["issue_number"]}
    call("withdraw_issue", reference, reporter)
    assert call("restore_issue", reference, reporter)["withdrawn"] is False
    assert [m["body"] for m in read(issue)["messages"]] == ["A field is lost."]


def test_a_guest_takes_back_only_what_its_own_side_said(issue: dict[str, Any]) -> None:
    anonymous = call("submit_issue", {"title": "t", "body": "b", "reporter_app_version": "1"}, callers.anonymous())
    for opened in (issue, anonymous):
        guest = callers.guest(opened["guest_access_token"])
        theirs = say(opened, "from the maintainers", callers.operator())
        assert refused("withdraw_message", {"message_id": theirs["message_id"]}, guest).error_code == "NOT_YOURS"
        own = say(opened, "from the reporter", guest)
        assert call("withdraw_message", {"message_id": own["message_id"]}, guest)["withdrawn"] is True
        assert call("withdraw_issue", {"issue_number": opened["issue_number"]}, guest)["withdrawn"] is True


def test_only_the_author_takes_a_message_back(issue: dict[str, Any]) -> None:
    message = say(issue, "mine", callers.operator())
    other = callers.agent("read", "read:private", "work")
    assert refused("withdraw_message", {"message_id": message["message_id"]}, other).error_code == "NOT_YOURS"
    first = Message.objects.get(thread_id=issue["entity_id"], position=1)
    guest = callers.guest(issue["guest_access_token"])
    assert refused("withdraw_message", {"message_id": first.pk}, guest).error_code == "FIRST_MESSAGE"


def test_a_withdrawn_issue_is_gone_for_everyone(issue: dict[str, Any]) -> None:
    call("withdraw_issue", {"issue_number": issue["issue_number"]}, callers.reporter())
    assert refused("get_issue_status", {"issue_number": issue["issue_number"]}, callers.operator()).status == 404
    assert call("list_issues", {}, callers.operator())["total"] == 0


def test_guests_see_exactly_their_own_thread(issue: dict[str, Any]) -> None:
    other = callers.filed(callers.reporter("other"))
    guest = callers.guest(issue["guest_access_token"])
    for ref in ({"issue_number": other["issue_number"]}, {"entity_id": other["entity_id"]}, {"issue_number": 9999}):
        assert refused("get_issue_status", ref, guest).status == 404
        assert refused("add_issue_message", {**ref, "body": "x"}, guest).status == 404
    assert {e["thread_id"] for e in call("list_events", {"limit": 100}, guest)["events"]} == {issue["entity_id"]}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, "GUEST_TOKEN_EXPIRED"),
        ({"revoked_at": timezone.now()}, "GUEST_TOKEN_REVOKED"),
    ],
)
def test_an_ended_grant_is_a_clean_refusal(issue: dict[str, Any], change: dict[str, Any], code: str) -> None:
    GuestToken.objects.update(**change)
    refusal = refused(
        "get_issue_status",
        {"issue_number": issue["issue_number"], "guest_access_token": issue["guest_access_token"]},
        callers.anonymous(),
    )
    assert (refusal.status, refusal.error_code) == (401, code)


def test_reporters_see_their_own_and_public_issues_only() -> None:
    one, two = callers.reporter("one"), callers.reporter("two")
    private, public = callers.filed(one), callers.filed(one, visibility="public")
    assert [row["issue_number"] for row in call("list_issues", {}, two)["issues"]] == [public["issue_number"]]
    assert refused("get_issue_status", {"issue_number": private["issue_number"]}, two).status == 404
    assert call("list_issues", {}, one)["total"] == 2


def test_agents_see_private_issues_only_with_the_scope() -> None:
    private = callers.filed(callers.reporter())
    reference = {"issue_number": private["issue_number"]}
    assert refused("get_issue_status", reference, callers.agent()).status == 404
    assert call("get_issue_status", reference, callers.agent("read", "read:private"))["state"] == "open"


def test_a_public_thread_warns_about_a_missing_build() -> None:
    issue = callers.filed(callers.reporter(), visibility="public")
    answer = say(issue, "me too", callers.agent())
    assert [w["code"] for w in answer["warnings"]] == ["REPORTER_ENVIRONMENT_MISSING"]


@pytest.mark.parametrize("size", [3, 12])
def test_a_list_needs_a_constant_number_of_queries(size: int, django_assert_num_queries: Any) -> None:
    reporter, boss = callers.reporter(), callers.operator()
    for _ in range(size):
        callers.filed(reporter)
    with django_assert_num_queries(2):
        page = call("list_issues", {"limit": 2}, boss)
    seen = [row["issue_number"] for row in page["issues"]]
    while "next_cursor" in page:
        page = call("list_issues", {"limit": 2, "cursor": page["next_cursor"]}, boss)
        seen += [row["issue_number"] for row in page["issues"]]
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == size


def test_whose_turn_it_is_follows_from_the_messages_that_remain(issue: dict[str, Any]) -> None:
    boss = callers.operator()
    question = {"message_id": say(issue, "Which build?", boss)["message_id"]}
    held = Issue.objects.filter(number=issue["issue_number"])
    assert held.get().awaiting == "reporter"
    call("withdraw_message", question, boss)
    assert held.get().awaiting == "maintainer"
    assert read(issue)["awaiting"] == "maintainer"
    call("restore_message", question, boss)
    assert held.get().awaiting == "reporter"
    say(issue, "Never mind.", boss)
    call("withdraw_message", question, boss)
    assert held.get().awaiting == "none"


def test_a_closed_issue_awaits_nobody_whatever_is_withdrawn(issue: dict[str, Any]) -> None:
    boss = callers.operator()
    question = {"message_id": say(issue, "Which build?", boss)["message_id"]}
    call("close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": "answered"}}, boss)
    call("withdraw_message", question, boss)
    assert Issue.objects.get(number=issue["issue_number"]).awaiting == "none"


def test_a_reporter_reads_all_of_its_own_thread_and_of_no_other(issue: dict[str, Any]) -> None:
    reporter, boss = callers.reporter(), callers.operator()
    answer = say(issue, "Looking.", boss)["message_id"]
    foreign = say(callers.filed(callers.reporter("neighbour")), "Looking.", boss)["message_id"]
    shown = call("retrieve_entity_snapshot", {"entity_id": answer}, reporter)
    assert shown["snapshot"]["body"] == "Looking."
    heard = call("list_events", {"entity_types": ["conversation_message"]}, reporter)["events"]
    assert answer in {event["entity_id"] for event in heard}
    assert foreign not in {event["entity_id"] for event in heard}
    assert refused("retrieve_entity_snapshot", {"entity_id": foreign}, reporter).status == 404
    made = call("subscribe", {"delivery_method": "sse", "entity_ids": [answer]}, reporter)
    assert made["entity_ids"] == [answer]

"""The list of issues, one issue, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from issues.models import Issue
from neotoma.operations.invoke import call
from neotoma.operations.models import AuditEntry
from neotoma.submissions.models import Message
from neotoma.substrate.models import Entity
from tests.admin.conftest import Desk, Staff
from tests.support.callers import filed, guest, operator, reporter

LIST = "issues/issue/"


def test_an_issue_shows_its_thread_links_and_trail(desk: Desk, boss: Staff) -> None:
    call("add_issue_message", {"entity_id": desk.issue, "body": "Which **build**?"}, operator())
    page = boss.page(f"{LIST}{desk.issue}/change/")
    for shown in (
        "store drops due_date",
        "A field is lost.",
        "Which <strong>build</strong>?",
        "app version",
        "1.2.3",
        "Renew passport",
        "area/store",
        "submit issue",
        "add issue message",
        "Observations",
    ):
        assert shown in page


def test_what_a_question_asks_for_is_shown(desk: Desk, boss: Staff) -> None:
    missing = [{"field": "reporter_git_sha", "why": "to check it out"}]
    call("add_issue_message", {"entity_id": desk.issue, "body": "More?", "missing": missing}, operator())
    page = boss.page(f"{LIST}{desk.issue}/change/")
    assert "to check it out" in page
    assert "waits for the reporter" in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "#{number}"}, ["search is slow"]),
        ({"q": "{number}"}, ["search is slow"]),
        ({"q": "nobody looked"}, ["nobody looked at it"]),
        ({"kind": "performance"}, ["search is slow"]),
        ({"label": "area/store"}, ["store drops due_date"]),
        ({"state": "closed"}, []),
        ({"status": "backlog", "kind": "question"}, ["nobody looked at it"]),
        ({"awaiting": "reporter"}, []),
        ({"q": "no such words"}, []),
    ],
)
def test_the_list_is_filtered_and_searched(desk: Desk, boss: Staff, query: dict[str, str], found: list[str]) -> None:
    number = Issue.objects.get(title="search is slow").number  # sequences go on from test to test
    page = boss.page(LIST, **{name: value.format(number=number) for name, value in query.items()})
    titles = ("store drops due_date", "search is slow", "nobody looked at it")
    assert [title for title in titles if title in page] == found


def test_a_withdrawn_issue_is_gone_from_the_list(desk: Desk, boss: Staff) -> None:
    call("withdraw_issue", {"entity_id": desk.lonely_issue}, reporter())
    assert "nobody looked at it" not in boss.page(LIST)
    assert boss.get(f"{LIST}{desk.lonely_issue}/change/").status_code == 302


def test_closing_goes_through_the_operation(desk: Desk, boss: Staff) -> None:
    page = boss.press(
        f"{LIST}{desk.issue}/change/", "close_issue", kind="fixed", summary="Kept.", fixed_in_version="1.2.4"
    ).content.decode()
    assert "The issue is closed." in page
    held = Issue.objects.get(pk=desk.issue)
    assert (held.state, held.status) == ("closed", "done")
    assert held.resolution["fixed_in_version"] == "1.2.4"
    entry = AuditEntry.objects.get(operation="close_issue")
    assert (entry.actor_key, entry.surface, entry.outcome) == (f"user:{boss.user.pk}", "admin", "done")
    assert entry.request_id


def test_a_refusal_is_said_and_nothing_typed_is_lost(desk: Desk, boss: Staff) -> None:
    response = boss.press(
        f"{LIST}{desk.issue}/change/", "close_issue", kind="duplicate", duplicate_of="999999999", summary="As before."
    )
    page = response.content.decode()
    assert response.status_code == 200
    assert "There is no such issue that you can see." in page
    assert "Check the id, or list what you can see." in page
    assert "As before." in page
    assert 'value="999999999"' in page
    assert Issue.objects.get(pk=desk.issue).state == "open"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"kind": "magic"}, "Resolution.kind: Input should be"),
        ({"kind": "fixed", "duplicate_of": "x"}, "Resolution.duplicate of: Input should be a valid integer"),
        ({}, "Resolution.kind: Field required."),
    ],
)
def test_a_wrong_form_is_refused_in_words(desk: Desk, boss: Staff, typed: dict[str, str], said: str) -> None:
    response = boss.press(f"{LIST}{desk.issue}/change/", "close_issue", **typed)
    assert response.status_code == 200
    assert said in response.content.decode()
    assert "The parameters of" not in response.content.decode()
    assert Issue.objects.get(pk=desk.issue).state == "open"


def test_reopening_says_why_on_the_thread(desk: Desk, boss: Staff, status: Callable[[str], str]) -> None:
    call("close_issue", {"entity_id": desk.issue, "resolution": {"kind": "fixed"}}, operator())
    page = boss.page(f"{LIST}{desk.issue}/change/")
    assert 'value="reopen_issue"' in page
    assert 'value="close_issue"' not in page
    boss.press(f"{LIST}{desk.issue}/change/", "reopen_issue", reason="It came back.")
    assert status(desk.issue) == "todo"
    assert Message.objects.of(desk.issue).latest("position").body == "It came back."


def test_the_status_is_set_as_far_as_the_operation_allows(
    desk: Desk, boss: Staff, status: Callable[[str], str]
) -> None:
    where = f"issues/issue/{desk.lonely_issue}/change/"
    boss.press(where, "set_issue_status", status="in_progress", blocked="on")
    assert status(desk.lonely_issue) == "in_progress"
    assert "in progress:blocked" in boss.page(where)
    refused = boss.press(where, "set_issue_status", status="todo", blocked="on")
    shown = refused.content.decode()
    assert "Blocked goes only with status in_progress." in shown
    assert "The parameters of" not in shown
    assert 'name="blocked" checked' in shown
    assert '<option value="todo" selected>' in shown
    assert status(desk.lonely_issue) == "in_progress"


def test_an_answer_asks_for_details_line_by_line(desk: Desk, boss: Staff) -> None:
    boss.press(
        f"{LIST}{desk.issue}/change/",
        "add_issue_message",
        body="Please say more.\r\nThank you.",
        missing="reporter_git_sha: to check it out\r\nsteps: to see it\r\n",
        reporter_app_version="1.2.4",
    )
    said = Message.objects.of(desk.issue).latest("position")
    assert said.body == "Please say more.\nThank you."
    assert said.author_kind == "maintainer"
    assert said.asks
    assert said.missing == [
        {"field": "reporter_git_sha", "why": "to check it out"},
        {"field": "steps", "why": "to see it"},
    ]
    assert said.reporter == {"reporter_app_version": "1.2.4"}
    assert Issue.objects.get(pk=desk.issue).awaiting == "reporter"


def test_a_double_click_says_it_once(desk: Desk, boss: Staff) -> None:
    for _ in range(2):
        boss.press(f"{LIST}{desk.issue}/change/", "add_issue_message", body="Once.", key="3f1c7a52")
    assert Message.objects.of(desk.issue).filter(body="Once.").count() == 1


def test_a_button_that_is_gone_changes_nothing(desk: Desk, boss: Staff) -> None:
    page = boss.press(f"{LIST}{desk.issue}/change/", "reopen_issue", reason="x").content.decode()
    assert "not possible any more" in page
    assert Entity.objects.get(pk=desk.issue).observation_count == 1


def test_a_long_thread_comes_in_pages_the_newest_first(desk: Desk, boss: Staff) -> None:
    token = str(filed(reporter(), title="talkative")["guest_access_token"])
    caller = guest(token)
    thread = Issue.objects.get(title="talkative").pk
    for number in range(2, 33):
        call("add_issue_message", {"entity_id": thread, "body": f"word {number}.", "guest_access_token": token}, caller)
    newest, oldest = (boss.page(f"{LIST}{thread}/change/", **query) for query in ({}, {"thread": "1"}))
    assert "word 32." in newest
    assert "word 30." not in newest
    assert "word 30." in oldest
    assert "word 32." not in oldest


def test_a_page_renders_a_bounded_amount_of_text(desk: Desk, boss: Staff) -> None:
    for _ in range(3):
        call("add_issue_message", {"entity_id": desk.issue, "body": "long " * 6_000 + "LAST-WORD"}, operator())
    page = boss.page(f"{LIST}{desk.issue}/change/")
    assert page.count("LAST-WORD") == 1
    assert "read it whole" in page


def test_the_front_page_counts_open_issues(desk: Desk, boss: Staff) -> None:
    call("close_issue", {"entity_id": desk.issue, "resolution": {"kind": "fixed"}}, operator())
    page = boss.page("")
    assert '<b>2</b><span class="label">backlog</span>' in page
    assert '<b>2</b><span class="label">wait for us</span>' in page

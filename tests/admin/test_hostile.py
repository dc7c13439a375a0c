"""Text of strangers is inert on every page of the admin, and a policy without inline script stands behind it."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from neotoma.access import bootstrap
from neotoma.access.authenticate import from_api_token
from neotoma.access.models import Agent
from neotoma.access.principals import daemon
from neotoma.operations.invoke import Caller, call
from neotoma.substrate.models import DeadEvent, Event
from tests.admin.conftest import PLAN, Desk, Staff
from tests.admin.test_who_sees_what import lists
from tests.support.callers import operator
from tests.support.html import addresses, inert
from triage.models import Case, Plan, Run
from webhooks.models import Delivery

OURS = ("/static/", "/admin/jsi18n/")
TAG = "<img src=x onerror=1>"
TEXT = """[x][y]

[y]: javascript:alert(1)

[a](JaVaScRiPt&colon;alert(1)) ![i](data:text/html,<script>alert(1)</script>) ![c](https://canary.example/p.png)

<javascript:1> <img src=x onerror=1> <script>alert(1)</script> <a href="javascript:1" onclick="alert(1)">x</a>
"""


@pytest.fixture
def hostile(desk: Desk) -> Desk:
    """Every text that somebody else can set, set to something bad."""
    name = Agent.objects.create(name=f"{TAG} javascript:alert(1)")
    bad = Caller(from_api_token(bootstrap.mint(agent=name, scopes=["read", "write", "work", "report"])), "rest")
    fields = {"title": TAG, "note": TEXT, TAG: TAG, "link": "javascript:alert(1)", "deep": {TAG: [TAG]}}
    stored = call("store", {"entities": [{"entity_type": "task", **fields}]}, bad)
    linked = str(stored["entities"][0]["entity_id"])
    report = {"title": f"{TAG} javascript:alert(1)", "body": TEXT, "labels": [TAG, "javascript:alert(1)"]}
    links = {"entity_ids_to_link": [linked], "reporter_app_version": "<script>"}
    issue = str(call("submit_issue", {**report, **links}, bad)["entity_id"])
    missing = [{"field": TAG, "why": "javascript:alert(1)"}]
    call("add_issue_message", {"entity_id": issue, "body": TEXT, "missing": missing}, operator())
    plan = _plan(issue)
    _work(desk, issue, plan)
    _delivery(bad)
    resolution = {"kind": "fixed", "summary": TEXT, "fixed_in_version": TAG, "pr_url": "javascript:alert(1)"}
    call("close_issue", {"entity_id": issue, "resolution": resolution, "message": TEXT}, operator())
    DeadEvent.objects.create(consumer="triage.intake", seq=1, error=f"{TAG} <script>alert(1)</script>")
    return Desk(
        issue, desk.other_issue, desk.lonely_issue, plan, desk.other_plan, desk.daemon, desk.other_daemon, linked
    )


def _plan(issue: str) -> str:
    words: dict[str, Any] = {
        "title": TAG,
        "steps": [TEXT],
        "files_suspected": [TAG],
        "files_expected": ["javascript:alert(1)"],
        "measurement": TAG,
        "answer": TEXT,
        "gates": [{"name": TAG, "decision": "ask", "reason": TEXT, "paths": [TAG]}],
        "environment": {"kind": "unknown", "branch": TAG, "conflicts": [TAG], "evidence": [TEXT]},
        "verdict": {"kind": "open", "document": TAG, "evidence": [TEXT]},
        "suspicions": [{"name": TAG, "excerpt": TEXT}],
        "related_issues": [{"entity_id": issue, "issue_number": 1, "score": 1, "reasons": [TEXT]}],
        "base": TAG,
    }
    arguments = {"issue_id": issue, "plan": {**PLAN, **words}, "mirror": {"wanted": False, "reason": TEXT}}
    plan = str(call("propose_plan", arguments, Caller(daemon("formica"), "process"))["plan_id"])
    call("reject_plan", {"plan_id": plan, "reason": TEXT}, operator())
    return plan


def _work(desk: Desk, issue: str, plan: str) -> None:
    preview = {"would_ask": TEXT, "would_plan": {"title": TAG, "steps": [TEXT]}, TAG: TAG}
    case = Case.objects.create(
        daemon_id=desk.daemon, issue_id=issue, state="previewed", preview=preview, error=TAG, plan_id=plan
    )
    Run.objects.create(
        case=case, plan=Plan.objects.get(pk=plan), revision=1, cause_seq=1, queued_at=timezone.now(), error=TAG,
        outcome=TAG, steps=[{"at": TAG, "name": TAG, "detail": TEXT}], worktree=TAG,
    )  # fmt: skip


def _delivery(caller: Caller) -> None:
    url = "https://hooks.example.org/<img/src=x>?javascript:alert(1)"
    wants = {"entity_types": [TAG], "delivery_method": "webhook", "webhook_url": "https://hooks.example.org/in"}
    held = call("subscribe", wants, caller)["subscription_id"]
    last = Event.objects.order_by("-seq").values_list("seq", flat=True)[0]
    delivery = Delivery.objects.create(
        subscription_id=held, seq=last, outcome="failed", due_at=timezone.now(), error=TAG, response_head=TEXT
    )
    type(delivery.subscription).objects.filter(pk=held).update(webhook_url=url)


def crawl(staff: Staff, start: list[str]) -> dict[str, str]:
    """Every page of rows that can be reached from these in one step, and these."""
    pages = {path: staff.page(path) for path in start}
    rows = {link for page in pages.values() for link in addresses(page, "/admin/") if link.endswith("/change/")}
    for link in sorted(rows):
        pages[link] = staff.page(link.removeprefix("/admin/"))
    return pages


def test_no_page_is_alive(hostile: Desk, boss: Staff) -> None:
    pages = crawl(boss, ["", *(f"{where}/" for where in lists())])
    assert {path: found for path, page in pages.items() if (found := inert(page, OURS))} == {}
    seen = "".join(pages.values())
    for shown in ("&lt;img src=x onerror=1&gt;", "javascript:alert(1)", "&lt;script&gt;"):
        assert shown in seen
    kinds = {"/".join(path.split("/")[2:4]) for path in pages if path.startswith("/admin/")}
    unseen = set(lists()) - kinds - {"access/entitygrouppermission", "access/entityuserpermission"}
    assert unseen == set()


def test_nothing_is_fetched_from_elsewhere(hostile: Desk, boss: Staff) -> None:
    page = boss.page(f"issues/issue/{hostile.issue}/change/")
    assert "canary.example" in page
    assert 'src="https://' not in page
    assert 'href="https://canary.example/p.png" rel="nofollow noreferrer noopener"' in page


def test_every_page_has_the_policy(hostile: Desk, boss: Staff) -> None:
    for path in ("", *(f"{where}/" for where in lists()), f"issues/issue/{hostile.issue}/change/", "no/such/page/"):
        policy = boss.get(path)["Content-Security-Policy"]
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy


def test_a_refusal_shows_what_was_typed_as_text(hostile: Desk, boss: Staff) -> None:
    where = f"issues/issue/{hostile.other_issue}/change/"
    response = boss.press(
        where, "close_issue", kind=TAG, summary=f"</textarea>{TAG}", fixed_in_sha='"><script>1</script>'
    )
    page = response.content.decode()
    assert response.status_code == 200
    assert inert(page, OURS) == []
    assert "&lt;/textarea&gt;" in page


def test_searches_and_filters_echo_text(hostile: Desk, boss: Staff) -> None:
    for where in lists():
        page = boss.get(f"{where}/", q=f'"><script>alert(1)</script>{TAG}', label=TAG)
        assert inert(page.content.decode(), OURS) == [], where

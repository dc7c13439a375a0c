from __future__ import annotations

from typing import Any

import pytest
from django.conf import LazySettings
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from issues.models import Issue
from neotoma.access.models import GuestToken
from neotoma.access.principals import daemon
from neotoma.operations.invoke import Caller, call
from neotoma.submissions.models import Message
from neotoma.submissions.provenance import FIELDS
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Entity, Event, Observation, Relationship, Source
from tests.support import callers

pytestmark = pytest.mark.django_db

REPORT = {"title": "store drops due_date", "body": "A field is lost.", "reporter_app_version": "1.2.3"}
TOKEN = "ghp_" + "a1B2" * 9
MAIL = "jane.doe" + "@" + "acme-widgets.io"


def refused(arguments: dict[str, Any], caller: Caller | None = None) -> Refusal:
    with pytest.raises(Refusal) as info:
        call("submit_issue", arguments, caller or callers.reporter())
    return info.value


def test_one_call_writes_the_whole_thread() -> None:
    reporter = callers.reporter()
    linked = [callers.stored(reporter, title=f"t{i}") for i in range(3)]
    seq = Event.objects.latest("seq").seq
    answer = call("submit_issue", {**REPORT, "labels": ["area/store"], "entity_ids_to_link": linked}, reporter)
    issue = Issue.objects.get(number=answer["issue_number"])
    assert (issue.pk, issue.status, issue.state, issue.awaiting) == (
        answer["entity_id"],
        "backlog",
        "open",
        "maintainer",
    )
    assert answer["linked_entity_ids"] == linked
    assert answer["ttl_seconds"] == 30 * 24 * 3600
    message = Message.objects.get(thread_id=issue.pk)
    assert (message.position, message.author_kind, message.body) == (1, "reporter", REPORT["body"])
    targets = Relationship.objects.filter(source_id=issue.pk, relationship_type="REFERS_TO").values_list(
        "target_id", flat=True
    )
    assert set(targets) == {*linked, answer["conversation_id"]}
    assert GuestToken.objects.get().thread_id == issue.pk
    assert Observation.objects.filter(entity_id=issue.pk).get().source == Source.objects.get()
    created = Event.objects.filter(seq__gt=seq, event_type="entity.created").values_list("entity_type", flat=True)
    assert sorted(created) == ["conversation", "conversation_message", "issue"]
    assert (
        set(Event.objects.filter(seq__gt=seq).exclude(thread_id=issue.pk).values_list("event_type", flat=True)) == set()
    )


def test_numbers_are_positive_and_distinct() -> None:
    reporter = callers.reporter()
    numbers = [callers.filed(reporter)["issue_number"] for _ in range(3)]
    assert len(set(numbers)) == 3
    assert min(numbers) > 0


@pytest.mark.parametrize(
    "blank", [{}, {"reporter_app_version": "  "}, {"reporter_git_sha": "\t"}, {"reporter_git_ref": "main"}]
)
def test_without_a_build_nothing_is_written(blank: dict[str, str]) -> None:
    refusal = refused({"title": "t", "body": "b", **blank})
    assert refusal.error_code == "ERR_REPORTER_ENVIRONMENT_REQUIRED"
    assert refusal.details["acceptable_field_groups"] == [["reporter_git_sha"], ["reporter_app_version"]]
    assert not Entity.objects.exists()


def test_only_the_installation_itself_may_leave_the_build_out(settings: LazySettings) -> None:
    own = Caller(daemon("formica"), "process")
    issue = Issue.objects.get(number=call("submit_issue", {"title": "t", "body": "b"}, own)["issue_number"])
    assert issue.reporter == {
        "reporter_app_version": settings.VERSION,
        "reporter_app_version_source": "server_autofill",
    }
    refusal = refused({"title": "t", "body": "b", "target_repo": "other/product"}, own)
    assert refusal.error_code == "ERR_REPORTER_ENVIRONMENT_REQUIRED"


def test_what_the_reporter_said_is_never_overridden() -> None:
    own = Caller(daemon("formica"), "process")
    answer = call("submit_issue", {**REPORT, "reporter_git_sha": "9fceb02d0ae598e9"}, own)
    assert Issue.objects.get(number=answer["issue_number"]).reporter == {
        "reporter_app_version": "1.2.3",
        "reporter_git_sha": "9fceb02d0ae598e9",
    }


def test_secrets_are_gone_before_anything_is_stored() -> None:
    report = {**REPORT, "title": f"fails with {TOKEN}", "body": f"mail {MAIL} token {TOKEN}", "labels": [TOKEN]}
    answer = call("submit_issue", {**report, "reporter_channel": TOKEN}, callers.reporter())
    assert answer["redaction"]["applied"] is True
    assert TOKEN not in str(answer)
    for model in (Entity, Observation, Source, Event, Issue, Message):
        rows = str(list(model._default_manager.values()))
        assert TOKEN not in rows
        assert MAIL not in rows


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"title": "x" * 301}, "title"),
        ({"title": "  "}, "title"),
        ({"body": ""}, "body"),
        ({"body": "é" * 40_000}, "body"),
        ({"labels": ["x"] * 51}, "labels"),
        ({"labels": ["x" * 101]}, "labels"),
        ({"entity_ids_to_link": ["ent_" + "0" * 24] * 101}, "entity_ids_to_link"),
        ({"reporter_git_sha": "--upload-pack=touch x"}, "reporter_git_sha"),
        ({"reporter_git_ref": "a..b"}, "reporter_git_ref"),
        ({"kind": "rant"}, "kind"),
    ],
)
def test_a_bad_field_is_named_and_nothing_is_written(change: dict[str, Any], path: str) -> None:
    refusal = refused({**REPORT, **change})
    assert 400 <= refusal.status < 500
    assert refusal.details["fields"][0]["path"].split(".")[0] == path
    assert not Entity.objects.exists()


def test_unknown_and_unreadable_links_are_the_same_refusal() -> None:
    foreign = callers.stored(callers.agent(), title="internal")
    bodies = [refused({**REPORT, "entity_ids_to_link": [target]}).body() for target in (foreign, "ent_" + "0" * 24)]
    shapes = [{**body, "message": "", "details": {**body["details"], "entity_id": ""}} for body in bodies]
    assert shapes[0] == shapes[1]
    assert not Issue.objects.exists()


def test_a_body_with_one_json_layer_too_many_is_unescaped_once() -> None:
    answer = call(
        "submit_issue",
        {**REPORT, "body": "## Summary\\n\\nA field is lost.\\n\\n1. store\\n2. read"},
        callers.reporter(),
    )
    assert [w["code"] for w in answer["warnings"]] == ["BODY_UNESCAPED"]
    assert Message.objects.get().body == "## Summary\n\nA field is lost.\n\n1. store\n2. read"


@pytest.mark.parametrize("label", ["area/store", "needs repro?", "c#", "50%", "ü/ß"])
def test_any_label_can_be_filtered_by(label: str) -> None:
    callers.filed(callers.reporter(), labels=[label, "other"])
    callers.filed(callers.reporter(), labels=["other"])
    found = call("list_issues", {"label": label}, callers.operator())
    assert [row["labels"] for row in found["issues"]] == [[label, "other"]]


def test_similar_issues_are_named_only_when_they_are_visible() -> None:
    error = "TypeError: due_date must be str, not None"
    mine, other = callers.reporter("me"), callers.reporter("other")
    callers.filed(other, body=error)
    first = callers.filed(mine, body=error)
    again = callers.filed(mine, body=error)
    assert first["similar_issues"] == []
    assert [row["issue_number"] for row in again["similar_issues"]] == [first["issue_number"]]


def test_a_closed_type_takes_no_anonymous_submission(settings: LazySettings) -> None:
    from neotoma.submissions import config

    assert call("submit_issue", REPORT, callers.anonymous())["issue_number"] > 0
    assert config.policy_of("pipeline_failure") == "closed"


def test_the_anonymous_are_limited(settings: LazySettings) -> None:
    settings.NEOTOMA_ANONYMOUS_PER_HOUR = 2
    for _ in range(2):
        call("submit_issue", REPORT, callers.anonymous())
    refusal = refused(REPORT, callers.anonymous())
    assert (refusal.status, refusal.error_code) == (429, "RATE_LIMITED")
    assert Issue.objects.count() == 2


class SixFields(TestCase):
    """Whatever of the six fields is given arrives in the status, the message and the issue."""

    @settings(max_examples=15)  # each files an issue; there are only 64 sets
    @given(st.sets(st.sampled_from(FIELDS)))
    def test_all_given_fields_survive(self, names: set[str]) -> None:
        values = {
            name: "9fceb02d0ae598e9" if name == "reporter_git_sha" else f"v-{index}"
            for index, name in enumerate(FIELDS)
        }
        given_fields = {name: values[name] for name in names} or {"reporter_app_version": "v"}
        if not given_fields.keys() & {"reporter_git_sha", "reporter_app_version"}:
            given_fields["reporter_app_version"] = "v"
        answer = call("submit_issue", {"title": "t", "body": "b", **given_fields}, callers.reporter())
        status = call("get_issue_status", {"issue_number": answer["issue_number"]}, callers.operator())
        seen = {k: v for k, v in status["messages"][0].items() if k.startswith("reporter_")}
        assert seen == given_fields
        assert Issue.objects.get(pk=answer["entity_id"]).reporter == given_fields

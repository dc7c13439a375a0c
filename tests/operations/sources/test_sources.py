from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from neotoma.operations.invoke import call
from neotoma.operations.models import AuditEntry
from neotoma.operations.sources.keep import MOST_BYTES
from neotoma.operations.sources.read import PAGE
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Observation, Source
from tests.support import callers
from tests.support.planted import TOKEN, everything

pytestmark = pytest.mark.django_db


def keep(content: str = "as it was said", caller: Any = None, **more: Any) -> dict[str, Any]:
    return call("keep_source", {"content": content, **more}, caller or callers.agent())


def read(source_id: str, caller: Any = None, **more: Any) -> dict[str, Any]:
    return call("retrieve_source", {"source_id": source_id, **more}, caller or callers.agent())


def refused(name: str, caller: Any = None, **arguments: Any) -> Refusal:
    with pytest.raises(Refusal) as info:
        call(name, arguments, caller or callers.agent())
    return info.value


def test_text_is_kept_and_read_as_it_is() -> None:
    text = "  Zeile eins\r\nZeile zwei \u2603\n"
    made = keep(text, mime_type="text/markdown")
    assert made["action"] == "kept"
    assert made["content_hash"] == hashlib.sha256(text.encode()).hexdigest()
    got = read(made["source_id"])
    assert (got["content"], got["mime_type"], got["size_bytes"]) == (text, "text/markdown", len(text.encode()))
    assert "next_offset" not in got
    assert AuditEntry.objects.get(operation="keep_source").details["source"] == made["source_id"]


def test_the_same_content_is_kept_once_whatever_its_form() -> None:
    made = keep("same")
    again = keep(base64.b64encode(b"same").decode(), callers.agent("write", "read", name="other"), encoding="base64")
    assert (again["action"], again["source_id"]) == ("unchanged", made["source_id"])
    assert Source.objects.count() == 1


def test_bytes_are_kept_as_base64() -> None:
    raw = bytes(range(256))
    made = keep(base64.b64encode(raw).decode(), encoding="base64", mime_type="application/octet-stream")
    assert made["content_hash"] == hashlib.sha256(raw).hexdigest()
    got = read(made["source_id"])
    assert (base64.b64decode(got["content"]), got["encoding"], got["size_bytes"]) == (raw, "base64", 256)


def test_a_long_one_is_read_part_by_part() -> None:
    raw = bytes(number % 251 for number in range(40_000))
    source_id = keep(base64.b64encode(raw).decode(), encoding="base64")["source_id"]
    found, offset = b"", 0
    while True:
        part = read(source_id, offset=offset)
        assert len(part["content"]) <= PAGE
        found += base64.b64decode(part["content"])
        if "next_offset" not in part:
            break
        offset = part["next_offset"]
    assert found == raw


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        ({"content": "x" * (MOST_BYTES + 1)}, 413, "SOURCE_TOO_LARGE"),
        ({"content": "é" * (MOST_BYTES // 2 + 1)}, 413, "SOURCE_TOO_LARGE"),
        ({"content": "no base64!", "encoding": "base64"}, 422, "VALIDATION_FAILED"),
        ({"content": "é", "encoding": "base64"}, 422, "VALIDATION_FAILED"),
        ({"content": "x", "mime_type": "text"}, 422, "VALIDATION_FAILED"),
        ({"content": ""}, 422, "VALIDATION_FAILED"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(arguments: dict[str, Any], status: int, code: str) -> None:
    refusal = refused("keep_source", **arguments)
    assert (refusal.status, refusal.error_code) == (status, code)
    assert refusal.details["fields"][0]["path"] in arguments
    assert not Source.objects.exists()


def test_what_a_reporter_hands_in_is_redacted_before_it_is_kept() -> None:
    for form, content in (("text", f"token={TOKEN}"), ("base64", base64.b64encode(f"t={TOKEN}".encode()).decode())):
        made = keep(content, callers.reporter(), encoding=form)
        assert made["redacted"] == {"github_token": 1}
        assert TOKEN not in read(made["source_id"], callers.reporter())["content"]
    assert TOKEN not in everything()
    assert base64.b64encode(TOKEN.encode()).decode() not in everything()
    binary = base64.b64encode(b"\xff\xfe").decode()
    assert (
        refused("keep_source", callers.reporter(), content=binary, encoding="base64").error_code
        == "ERR_REDACTION_REQUIRED"
    )


def test_a_reporters_material_is_its_own() -> None:
    one, two = callers.reporter("one"), callers.reporter("two")
    mine = keep("same", one)["source_id"]
    assert keep("same", two)["source_id"] != mine
    assert read(mine, one)["content"] == "same"
    unseen, unknown = (refused("retrieve_source", two, source_id=source) for source in (mine, "src_999999"))
    assert (unseen.status, str(unseen.body()).replace(mine, "src_999999")) == (404, str(unknown.body()))
    assert refused("retrieve_source", source_id=mine).error_code == "NOT_FOUND"


def test_material_of_the_instance_is_seen_by_those_who_see_the_instance() -> None:
    source_id = keep()["source_id"]
    assert read(source_id, callers.agent("read", name="reader"))["content"] == "as it was said"
    assert refused("retrieve_source", callers.reporter(), source_id=source_id).status == 404


def test_facts_name_what_they_were_learned_from() -> None:
    reporter, agent = callers.reporter(), callers.agent()
    source_id = keep("the report", reporter)["source_id"]
    tasks = [{"entity_type": "task", "title": title} for title in ("dig", "fill")]
    stored = call("store", {"entities": tasks, "source_id": source_id}, reporter)["entities"]
    ids = sorted(entity["entity_id"] for entity in stored)
    assert {f"src_{fact.source_id}" for fact in Observation.objects.all()} == {source_id}
    assert read(source_id, reporter)["entity_ids"] == ids
    assert read(source_id, agent)["content"] == "the report"
    listed = call("list_observations", {"entity_id": ids[0]}, agent)["observations"]
    assert [row["source_id"] for row in listed] == [source_id]
    callers.conceal(ids[0])
    assert refused("retrieve_source", agent, source_id=source_id).status == 404
    assert read(source_id, reporter)["entity_ids"] == ids[1:]


@pytest.mark.parametrize("source_id", ["src_999999", "src_x", "src_0", "7", "src_" + "9" * 30])
def test_facts_do_not_name_what_is_not_there(source_id: str) -> None:
    task = {"entity_type": "task", "title": "dig"}
    refusal = refused("store", entities=[task], source_id=source_id)
    assert (refusal.status, refusal.details) == (404, {"path": "source_id"})


def test_material_is_taken_back_and_restored() -> None:
    source_id = keep("said too much")["source_id"]
    task = {"entity_type": "task", "title": "dig"}
    for wanted in ("deleted", "unchanged"):
        assert call("delete_source", {"source_id": source_id, "reason": "a slip"}, callers.agent())["action"] == wanted
    got = read(source_id)
    assert (got["deleted"], got["content"]) == (True, "")
    assert refused("store", entities=[task], source_id=source_id).status == 404
    for wanted in ("restored", "unchanged"):
        assert call("restore_source", {"source_id": source_id}, callers.agent())["action"] == wanted
    assert read(source_id)["content"] == "said too much"
    call("delete_source", {"source_id": source_id}, callers.agent())
    again = keep("said too much")
    assert (again["action"], again["source_id"]) == ("restored", source_id)


@pytest.mark.parametrize("verb", ["delete_source", "restore_source"])
def test_a_reporter_takes_back_only_what_it_kept(verb: str) -> None:
    reporter = callers.reporter()
    with_agent = keep("of the agent")["source_id"]
    mine = keep("mine", reporter)["source_id"]
    assert refused(verb, reporter, source_id=with_agent).status == 404
    assert call(verb, {"source_id": mine}, reporter)["action"] in ("deleted", "unchanged")


@pytest.mark.parametrize("verb", ["delete_source", "restore_source"])
def test_what_a_submission_brought_goes_with_it(verb: str) -> None:
    reporter = callers.reporter()
    callers.filed(reporter)
    source_id = Source.objects.get(kind="submission").public_id
    assert "store drops" in read(source_id, reporter)["content"]
    assert refused("retrieve_source", source_id=source_id).status == 404
    refusal = refused(verb, callers.operator(), source_id=source_id)
    assert (refusal.status, refusal.error_code) == (403, "SOURCE_OF_SUBMISSION")


def test_a_key_replays_the_answer() -> None:
    answers = [keep(idempotency_key="once") for _ in range(2)]
    assert [answer["replayed"] for answer in answers] == [False, True]
    assert answers[0]["action"] == answers[1]["action"] == "kept"


def test_a_read_takes_the_same_number_of_queries_however_much_was_learned() -> None:
    agent, counts = callers.agent(), []
    source_id = keep("the report", agent)["source_id"]
    for number in (1, 30):
        tasks = [{"entity_type": "task", "title": f"task {number} {n}"} for n in range(number)]
        call("store", {"entities": tasks, "source_id": source_id}, agent)
        with CaptureQueriesContext(connection) as queries:
            assert len(read(source_id, agent)["entity_ids"]) == min(20, number)
        counts.append(len(queries))
    assert counts == [3, 3]

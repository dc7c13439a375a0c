from __future__ import annotations

import json
from typing import Any

import pytest

from neotoma.access.principals import ANONYMOUS, Principal
from neotoma.operations.json import parse
from neotoma.operations.mcp.exchange import Visit
from neotoma.operations.mcp.results import Reply
from neotoma.operations.mcp.selection import DEFAULT, READ_ONLY, Selection, of_names
from tests.operations.mcp.fakes import agent, dispatcher, modern, visit

DISPATCHER = dispatcher()


def called(tool: str, /, principal: Principal = ANONYMOUS, selection: Selection = DEFAULT, **arguments: Any) -> Reply:
    message, headers = modern("tools/call", name=tool, arguments=arguments)
    return DISPATCHER.handle(message, headers=headers, visit=visit(principal, selection))


def result(reply: Reply) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reply.body)["result"]
    return found


def refusal(reply: Reply) -> dict[str, Any]:
    found = result(reply)
    assert found["isError"] is True
    structured: dict[str, Any] = found["structuredContent"]
    assert list(structured) == ["error_code", "message", "hint", "details", "request_id"]
    return structured


def error(reply: Reply) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reply.body)["error"]
    return found


def test_the_text_is_the_structured_content_letter_for_letter() -> None:
    reply = called("make_box", name='röd\n"', kind="shut")
    found = result(reply)
    assert found["isError"] is False
    assert found["structuredContent"]["given"] == {"name": 'röd\n"', "kind": "shut"}
    (block,) = found["content"]
    assert block["type"] == "text"
    assert block["text"] == json.dumps(found["structuredContent"], ensure_ascii=False, separators=(",", ":"))


def test_a_refusal_is_a_result_that_says_how_to_repair_the_call() -> None:
    reply = called("lose_box")
    assert reply.status == 200
    assert refusal(reply) == {
        "error_code": "NOT_FOUND",
        "message": "There is no such box.",
        "hint": "Check the id, or list what you can see.",
        "details": {"box": "red"},
        "request_id": "request-1",
    }
    assert json.loads(result(reply)["content"][0]["text"]) == refusal(reply)


def test_an_unknown_argument_is_named() -> None:
    found = refusal(called("make_box", name="red", naem="blue"))
    assert found["error_code"] == "VALIDATION_FAILED"
    assert [field["path"] for field in found["details"]["fields"]] == ["naem"]
    assert "name, kind" in found["hint"]


def test_strings_of_json_stand_for_arrays_and_objects() -> None:
    found = result(called("make_box", name="red", box='{"width": 3}', boxes=['{"width": 4}'], tags='["a"]'))
    assert found["structuredContent"]["given"] == {
        "name": "red",
        "box": {"width": 3},
        "boxes": [{"width": 4}],
        "tags": ["a"],
    }


def test_arguments_that_cannot_be_stored_are_the_models_to_repair() -> None:
    message, headers = modern("tools/call", name="make_box", arguments={"name": "a\0b"})
    reply = DISPATCHER.handle(parse(json.dumps(message).encode()), headers=headers, visit=visit())
    found = refusal(reply)
    assert found["error_code"] == "UNSTORABLE_VALUE"
    assert found["details"]["fields"][0]["path"] == "name"


@pytest.mark.parametrize("name", ["no_box", "hidden_box", ""])
def test_an_unknown_tool_is_an_error_of_the_protocol(name: str) -> None:
    reply = called(name)
    assert reply.status == 400
    assert error(reply)["code"] == -32602
    assert "find_operations" in error(reply)["data"]["hint"]


def test_a_tool_that_is_not_listed_here_can_be_called_by_its_name() -> None:
    assert refusal(called("lose_box"))["error_code"] == "NOT_FOUND"


@pytest.mark.parametrize(("selection", "name"), [(READ_ONLY, "purge_box"), (of_names("lost", ["lost"]), "read_box")])
def test_a_url_serves_only_what_it_selects(selection: Selection, name: str) -> None:
    assert error(called(name, agent("write", staff=True), selection))["code"] == -32602


@pytest.mark.parametrize(("size", "fits"), [(19_963, True), (19_990, False), (50_000, False)])
def test_a_read_that_would_fill_the_context_says_how_to_ask_for_less(size: int, fits: bool) -> None:
    reply = called("read_box", size=size)
    if fits:
        assert len(result(reply)["content"][0]["text"]) <= 20_000
        return
    found = refusal(reply)
    assert found["error_code"] == "RESULT_TOO_LARGE"
    assert found["details"]["limit"] == 20_000
    assert found["details"]["narrow_with"] == ["limit", "response_format", "cursor"]


@pytest.mark.django_db
def test_what_only_a_header_can_mend_is_401() -> None:
    reply = called("purge_box")
    assert reply.status == 401
    assert json.loads(reply.body)["error_code"] == "AUTH_REQUIRED"
    assert "error=" not in reply.headers["WWW-Authenticate"]


@pytest.mark.django_db
def test_over_stdio_the_model_is_told() -> None:
    message, _ = modern("tools/call", name="purge_box")
    reply = DISPATCHER.handle(message, headers=None, visit=Visit(lambda: ANONYMOUS, "stdio", "request-1"))
    assert refusal(reply)["error_code"] == "AUTH_REQUIRED"


@pytest.mark.django_db
def test_what_an_argument_can_mend_is_the_models_to_repair() -> None:
    assert refusal(called("read_thread"))["error_code"] == "AUTH_REQUIRED"


@pytest.mark.django_db
@pytest.mark.parametrize("principal", [ANONYMOUS, agent("read")])
def test_a_bad_guest_token_in_the_arguments_never_falls_back(principal: Principal) -> None:
    reply = called("read_thread", principal, guest_access_token="gst_made_up")
    assert refusal(reply)["error_code"] == "GUEST_TOKEN_INVALID"
    assert b"gst_made_up" not in reply.body


@pytest.mark.django_db
def test_a_missing_scope_is_named() -> None:
    found = refusal(called("purge_box", agent("report")))
    assert (found["error_code"], found["details"]["any_of"]) == ("INSUFFICIENT_SCOPE", ["write"])


@pytest.mark.django_db
def test_high_risk_is_left_to_a_person() -> None:
    assert refusal(called("purge_box", agent("write")))["error_code"] == "STAFF_ONLY"

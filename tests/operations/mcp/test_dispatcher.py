from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_types import methods

from neotoma.access.authenticate import TokenExpired
from neotoma.access.principals import ANONYMOUS, Principal
from neotoma.operations.json import parse
from neotoma.operations.mcp.exchange import Visit
from neotoma.operations.mcp.instructions import INSTRUCTIONS
from neotoma.operations.mcp.protocol import LEGACY, MODERN, SUPPORTED
from neotoma.operations.mcp.results import Reply
from tests.operations.mcp.fakes import agent, dispatcher, legacy, modern, visit

DISPATCHER = dispatcher()
ERAS = pytest.mark.parametrize("make", [modern, legacy])

INITIALIZE: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
SERVED = [
    ("tools/list", {}),
    ("tools/call", {"name": "read_box", "arguments": {"size": 3}}),
    ("tools/call", {"name": "read_box"}),
    ("tools/call", {"name": "make_box", "arguments": {}}),
    ("resources/list", {}),
    ("resources/list", {"cursor": ""}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "guide://reporting"}),
    ("resources/read", {"uri": "guide://triage"}),
    ("resources/read", {"uri": "neotoma://manifest"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "report_problem", "arguments": {"problem": "It is slow.", "kind": "performance"}}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "report_problem"},
            "argument": {"name": "kind", "value": "p"},
        },
    ),
]


def handled(message: object, headers: dict[str, str] | None, principal: Principal = ANONYMOUS) -> Reply:
    return DISPATCHER.handle(message, headers=headers, visit=visit(principal))


def body(reply: Reply) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reply.body)
    return found


@pytest.mark.parametrize(("method", "params"), SERVED)
def test_results_of_the_modern_era_are_valid(method: str, params: dict[str, Any]) -> None:
    message, headers = modern(method, **params)
    reply = handled(message, headers)
    assert reply.status == 200
    result = body(reply)["result"]
    methods.validate_server_result(method, MODERN, result)
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "neotoma"
    assert ("ttlMs" in result) == (method.endswith("/list") or method == "resources/read")


@pytest.mark.parametrize("version", LEGACY)
@pytest.mark.parametrize(("method", "params"), [*SERVED, ("initialize", INITIALIZE), ("ping", {})])
def test_results_of_the_legacy_era_are_valid(version: str, method: str, params: dict[str, Any]) -> None:
    message, _ = legacy(method, **params)
    reply = handled(message, {"mcp-protocol-version": version})
    assert reply.status == 200
    result = body(reply)["result"]
    methods.validate_server_result(method, version, result)
    assert not {"resultType", "ttlMs", "cacheScope"} & set(result)


def test_both_eras_introduce_themselves_with_the_same_words() -> None:
    opened = body(handled(*legacy("initialize", **INITIALIZE)))["result"]
    discovered = body(handled(*modern("server/discover")))["result"]
    methods.validate_server_result("server/discover", MODERN, discovered)
    assert opened["protocolVersion"] == "2025-06-18"
    assert discovered["supportedVersions"] == list(SUPPORTED)
    assert opened["instructions"] == discovered["instructions"] == INSTRUCTIONS
    assert opened["capabilities"] == discovered["capabilities"]
    assert opened["serverInfo"] == discovered["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert (discovered["cacheScope"], discovered["ttlMs"]) == ("public", 300_000)


@ERAS
@pytest.mark.parametrize("message_id", [0, 7, "a", "ü"])
def test_the_answer_has_the_id_of_the_question(make: Any, message_id: int | str) -> None:
    message, headers = make("tools/list", message_id)
    assert body(handled(message, headers))["id"] == message_id


@ERAS
def test_lists_depend_on_the_principal_and_are_private(make: Any) -> None:
    message, headers = make("tools/list")
    tools = {
        principal.staff: [tool["name"] for tool in body(handled(message, headers, principal))["result"]["tools"]]
        for principal in (ANONYMOUS, agent("write", "read", staff=True))
    }
    assert "purge_box" in tools[True] and "purge_box" not in tools[False]
    assert body(handled(*modern("tools/list")))["result"]["cacheScope"] == "private"


@pytest.mark.parametrize(
    "method", ["logging/setLevel", "resources/subscribe", "subscriptions/listen", "tasks/get", "x"]
)
def test_an_unknown_method_is_404_in_the_modern_era_and_200_in_the_legacy_one(method: str) -> None:
    answers = [handled(*make(method)) for make in (modern, legacy)]
    assert [answer.status for answer in answers] == [404, 200]
    assert [body(answer)["error"]["code"] for answer in answers] == [-32601, -32601]


@ERAS
@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
def test_a_made_up_cursor_is_refused(make: Any, method: str) -> None:
    message, headers = make(method, cursor="x")
    assert body(handled(message, headers))["error"]["code"] == -32602


def test_notifications_are_accepted_without_an_answer() -> None:
    assert handled({"jsonrpc": "2.0", "method": "notifications/initialized"}, {}) == Reply(202)


@ERAS
def test_a_credential_that_does_not_count_is_401_on_every_method(make: Any) -> None:
    def expired() -> Principal:
        raise TokenExpired("This token has expired.")

    for method in ("initialize", "server/discover", "tools/list", "tools/call", "no/such", "notifications/initialized"):
        message, headers = make(method)
        reply = DISPATCHER.handle(message, headers=headers, visit=Visit(expired, "mcp", "request-1"))
        assert reply.status == 401
        assert body(reply) == {
            "error_code": "TOKEN_EXPIRED",
            "message": "This token has expired.",
            "hint": "Ask the operator for a new token.",
            "details": {},
            "request_id": "request-1",
        }
        challenge = reply.headers["WWW-Authenticate"]
        assert 'error="invalid_token"' in challenge
        assert "/.well-known/oauth-protected-resource/mcp" in challenge


def test_over_stdio_the_same_is_an_error_of_the_protocol() -> None:
    def expired() -> Principal:
        raise TokenExpired("This token has expired.")

    message, _ = modern("tools/list", 5)
    reply = DISPATCHER.handle(message, headers=None, visit=Visit(expired, "stdio", "request-1"))
    error = body(reply)["error"]
    assert (body(reply)["id"], error["code"], error["data"]["error_code"]) == (5, 401, "TOKEN_EXPIRED")


def test_an_unexpected_exception_says_nothing_but_the_request_id() -> None:
    answers = [handled(*make("tools/call", 9, name="break_box")) for make in (modern, legacy)]
    assert [answer.status for answer in answers] == [500, 200]
    for answer in answers:
        assert b"hunter2" not in answer.body
        assert body(answer) == {
            "jsonrpc": "2.0",
            "id": 9,
            "error": {"code": -32603, "message": "Internal error", "data": {"request_id": "request-1"}},
        }


def test_an_exception_of_authentication_is_internal_too() -> None:
    def broken() -> Principal:
        raise OSError("password=hunter2")

    reply = DISPATCHER.handle(*modern("tools/list")[:1], headers={}, visit=Visit(broken, "mcp", "request-1"))
    assert body(reply)["error"]["code"] == -32603
    assert b"hunter2" not in reply.body


@pytest.mark.parametrize("text", [b'{"jsonrpc": "2.0", "id": 1, "id": 2}', b"[NaN]", b'{"a": [1E400], "a": 1}'])
def test_a_message_that_is_ambiguous_as_a_whole_is_invalid(text: bytes) -> None:
    reply = handled(parse(text), {})
    assert (reply.status, body(reply)["error"]["code"]) == (400, -32600)
    assert body(reply)["id"] is None


def test_what_hides_in_the_parameters_is_refused_with_its_path() -> None:
    message, _ = legacy("prompts/get", name="report_problem", arguments={"problem": "\0"})
    text = json.dumps(message).encode()
    error = body(handled(parse(text), {}))["error"]
    assert error["code"] == -32600
    assert error["data"]["details"]["fields"][0]["path"] == "arguments.problem"

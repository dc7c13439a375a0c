from __future__ import annotations

import json
from typing import Any

import pytest

from neotoma.access.bootstrap import mint
from neotoma.access.models import Agent
from neotoma.operations.mcp.bridge import Bridge
from tests.operations.mcp.fakes import legacy, modern

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
CALL = {"name": "find_operations", "arguments": {"query": "store"}}


def answered(bridge: Bridge, made: tuple[dict[str, Any], dict[str, str]]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bridge.answer(json.dumps(made[0]).encode()))
    return found


@pytest.mark.parametrize("path", ["", "/", "/mcp", "/mcp/readonly"])
def test_messages_of_both_eras_pass(server: str, path: str) -> None:
    bridge = Bridge(server + path, None)
    assert answered(bridge, legacy("initialize", 1, **HELLO))["result"]["protocolVersion"] == "2025-06-18"
    assert answered(bridge, modern("tools/call", 2, **CALL))["result"]["resultType"] == "complete"
    assert answered(bridge, modern("resources/read", 3, uri="guide://triage"))["result"]["contents"]


def test_a_name_that_no_header_holds_is_wrapped(server: str) -> None:
    error = answered(Bridge(server, None), modern("tools/call", name="übel\n"))["error"]
    assert error["message"] == "Unknown tool: übel\n"


def test_a_notification_has_no_answer(server: str) -> None:
    assert Bridge(server, None).answer(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}') == b""


def test_the_token_goes_along(server: str) -> None:
    token = mint(agent=Agent.objects.create(name="wasp"), scopes=["read", "write"])
    tools = answered(Bridge(server, token), modern("tools/list"))["result"]["tools"]
    assert "store" in [tool["name"] for tool in tools]


def test_a_refused_token_is_an_error_of_the_protocol(server: str) -> None:
    answer = answered(Bridge(server, "ntk_unknown"), modern("tools/list", 8))
    assert (answer["id"], answer["error"]["code"]) == (8, 401)
    assert answer["error"]["data"]["error_code"] == "TOKEN_INVALID"


def test_a_door_that_is_not_there_is_named(server: str) -> None:
    answer = answered(Bridge(server + "/mcp/x/nothing", None), modern("tools/list"))
    assert answer["error"]["data"]["error_code"] == "UNKNOWN_TOOLSET"


def test_an_instance_that_does_not_answer_is_an_internal_error() -> None:
    answer = answered(Bridge("http://127.0.0.1:9", None), modern("tools/list", 6))
    assert (answer["id"], answer["error"]["code"]) == (6, -32603)


def test_what_is_no_json_is_answered_here() -> None:
    answer = json.loads(Bridge("http://127.0.0.1:9", None).answer(b"{"))
    assert answer["error"]["code"] == -32700

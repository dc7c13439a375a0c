from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.mcp import protocol
from neotoma.operations.mcp.protocol import CAPABILITIES_KEY, LEGACY, MODERN, SUPPORTED, VERSION_KEY, ProtocolError
from tests.operations.mcp.fakes import legacy, modern


def refused(message: object, headers: dict[str, str] | None) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        protocol.read(message, headers)
    return caught.value


def test_a_modern_request_stands_alone() -> None:
    message, headers = modern("tools/list", "a")
    request = protocol.read(message, headers)
    assert request is not None
    assert (request.id, request.method, request.version, request.modern) == ("a", "tools/list", MODERN, True)


def test_over_stdio_a_modern_request_has_no_headers() -> None:
    message, _ = modern("tools/list")
    request = protocol.read(message, None)
    assert request is not None and request.modern


@pytest.mark.parametrize("version", [None, *LEGACY])
def test_a_header_of_the_handshake_or_none_is_legacy(version: str | None) -> None:
    headers = {"mcp-protocol-version": version} if version else {}
    request = protocol.read({"jsonrpc": "2.0", "id": 0, "method": "ping"}, headers)
    assert request is not None and not request.modern
    assert request.version == (version or "2025-11-25")


@pytest.mark.parametrize(
    "message",
    [
        [],
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}],
        "ping",
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
    ],
)
def test_what_is_no_request_is_invalid(message: object) -> None:
    error = refused(message, {})
    assert (error.code, error.status) == (-32600, 400)


def test_params_are_an_object() -> None:
    assert refused({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, {}).code == -32602


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ],
)
def test_notifications_and_responses_get_no_answer(message: dict[str, Any]) -> None:
    assert protocol.read(message, {}) is None


def test_a_response_has_no_place_in_the_modern_era() -> None:
    assert refused({"jsonrpc": "2.0", "id": 1, "result": {}}, {"mcp-protocol-version": MODERN}).code == -32600


@pytest.mark.parametrize("missing", [VERSION_KEY, CAPABILITIES_KEY])
def test_the_envelope_is_required(missing: str) -> None:
    message, headers = modern("tools/list")
    del message["params"]["_meta"][missing]
    error = refused(message, headers)
    assert (error.code, error.status) == (-32602, 400)
    assert missing in error.message


@pytest.mark.parametrize("name", ["mcp-protocol-version", "mcp-method", "mcp-name"])
@pytest.mark.parametrize("value", [None, "other"])
def test_each_header_repeats_the_body(name: str, value: str | None) -> None:
    message, headers = modern("tools/call", name="get_box")
    changed = {key: inner for key, inner in headers.items() if key != name} | ({name: value} if value else {})
    error = refused(message, changed)
    assert (error.code, error.status) == (-32020, 400)


@pytest.mark.parametrize("asked", ["2099-01-01", "2025-11-25", "x" * 500])
def test_an_unknown_version_is_told_which_are_served(asked: str) -> None:
    message, headers = modern("tools/list")
    message["params"]["_meta"][VERSION_KEY] = headers["mcp-protocol-version"] = asked
    error = refused(message, headers)
    assert (error.code, error.status) == (-32022, 400)
    assert error.data == {"supported": list(SUPPORTED), "requested": asked[:80]}


def test_an_unknown_version_in_the_header_alone_is_refused_too() -> None:
    error = refused({"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"mcp-protocol-version": "1999-01-01"})
    assert error.code == -32022


def test_a_modern_header_without_an_envelope_is_not_taken_for_legacy() -> None:
    error = refused({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"mcp-protocol-version": MODERN})
    assert error.code == -32602 and VERSION_KEY in error.message


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"])
def test_methods_that_the_modern_era_dropped_are_unknown_there(method: str) -> None:
    message, headers = modern(method)
    request = protocol.read(message, headers)
    assert request is not None
    with pytest.raises(ProtocolError) as caught:
        protocol.validate(request)
    assert (caught.value.code, caught.value.status) == (-32601, 404)


@pytest.mark.parametrize("make", [modern, legacy])
def test_parameters_are_checked_against_the_revision(make: Any) -> None:
    message, headers = make("tools/call", name="get_box", arguments="none")
    request = protocol.read(message, headers)
    assert request is not None
    with pytest.raises(ProtocolError) as caught:
        protocol.validate(request)
    assert caught.value.code == -32602
    assert "arguments" in caught.value.message


@pytest.mark.parametrize(
    ("asked", "answered"),
    [("2025-03-26", "2025-03-26"), ("2025-11-25", "2025-11-25"), ("2099-01-01", "2025-11-25"), (5, "2025-11-25")],
)
def test_initialize_answers_the_version_asked_for_if_it_is_known(asked: object, answered: str) -> None:
    assert protocol.negotiated(asked) == answered

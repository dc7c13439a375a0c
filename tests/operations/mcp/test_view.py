from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from neotoma.access.bootstrap import mint
from neotoma.access.models import Agent, ApiToken
from neotoma.operations.json import MAX_BYTES
from neotoma.operations.registry import operations
from tests.operations.mcp.fakes import legacy, modern

pytestmark = pytest.mark.django_db


def posted(client: Client, message: Any, headers: dict[str, str], path: str = "/mcp", **more: Any) -> Any:
    raw = message if isinstance(message, bytes) else json.dumps(message).encode()
    return client.post(path, raw, **{"content_type": "application/json", "headers": headers, **more})


def listed(client: Client, path: str, **headers: str) -> list[str]:
    message, own = modern("tools/list")
    response = posted(client, message, own | headers, path)
    assert response.status_code == 200
    return [tool["name"] for tool in response.json()["result"]["tools"]]


def bearer(*scopes: str, **more: Any) -> dict[str, str]:
    owner, _ = Agent.objects.get_or_create(name="wasp")
    return {"Authorization": f"Bearer {mint(agent=owner, scopes=list(scopes), **more)}"}


@pytest.mark.parametrize("make", [modern, legacy])
def test_one_url_serves_both_eras_without_a_session(client: Client, make: Any) -> None:
    response = posted(client, *make("tools/list", 3))
    assert (response.status_code, response["Content-Type"]) == (200, "application/json")
    assert response.json()["id"] == 3
    assert "Mcp-Session-Id" not in response


def test_a_notification_is_202_without_a_body(client: Client) -> None:
    response = posted(client, {"jsonrpc": "2.0", "method": "notifications/initialized"}, {})
    assert (response.status_code, response.content) == (202, b"")


@pytest.mark.parametrize("method", ["get", "delete", "put", "options", "head"])
def test_only_post_is_served(client: Client, method: str) -> None:
    response = getattr(client, method)("/mcp")
    assert (response.status_code, response["Allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://testserver.evil.example", "http://localhost:9", "", "file://x"]
)
def test_a_foreign_origin_is_turned_away_before_anything_else(client: Client, origin: str) -> None:
    response = posted(client, b"not json", {"Origin": origin, "Authorization": "Bearer bad"})
    assert response.status_code == 403
    assert response.json()["error_code"] == "ORIGIN_NOT_ALLOWED"


@pytest.mark.parametrize("origin", ["http://testserver", "http://127.0.0.1:8000"])
def test_our_own_origin_passes(client: Client, origin: str) -> None:
    assert "find_operations" in listed(client, "/mcp", Origin=origin)


def test_a_foreign_host_is_turned_away(client: Client) -> None:
    response = posted(client, modern("tools/list")[0], {"Host": "evil.example"})
    assert response.status_code == 400


def test_the_body_is_json_and_says_so(client: Client) -> None:
    response = posted(client, *modern("tools/list"), content_type="text/plain")
    assert (response.status_code, response.json()["error_code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_the_body_is_bounded(client: Client) -> None:
    response = posted(client, b" " * (MAX_BYTES + 1), {})
    assert (response.status_code, response.json()["error_code"]) == (413, "PAYLOAD_TOO_LARGE")


@pytest.mark.parametrize("raw", [b" ", b"{", b"\xff", b'{"jsonrpc": NaN'])
def test_what_is_not_json_is_a_parse_error(client: Client, raw: bytes) -> None:
    response = posted(client, raw, {})
    assert response.status_code == 400
    assert response.json()["id"] is None
    assert response.json()["error"]["code"] == -32700
    assert response.json()["error"]["data"]["error_code"] == "MALFORMED_JSON"


def test_a_body_too_deep_to_be_read_is_refused(client: Client) -> None:
    response = posted(client, b"[" * 100_000, {})
    assert (response.status_code, response.json()["error"]["data"]["error_code"]) == (422, "JSON_TOO_COMPLEX")


def test_refusals_carry_the_request_id_of_the_response(client: Client) -> None:
    response = posted(client, *modern("tools/call", name="find_operations", arguments={"limit": 0}))
    structured = response.json()["result"]["structuredContent"]
    assert structured["error_code"] == "VALIDATION_FAILED"
    assert structured["request_id"] == response["X-Request-Id"]


@pytest.mark.parametrize("header", ["Bearer ntk_unknown", "Bearer gst_unknown", "Basic dTpw", "Bearer", "nonsense", ""])
@pytest.mark.parametrize("method", ["initialize", "server/discover", "tools/list", "tools/call", "no/such"])
def test_a_bad_header_is_401_on_every_method(client: Client, header: str, method: str) -> None:
    for make in (modern, legacy):
        message, headers = make(method)
        response = posted(client, message, headers | {"Authorization": header})
        assert response.status_code == 401
        assert response.json()["error_code"] in ("TOKEN_INVALID", "GUEST_TOKEN_INVALID")
        assert response.json()["request_id"] == response["X-Request-Id"]
        assert response["WWW-Authenticate"].startswith("Bearer ")
        assert "resource_metadata=" in response["WWW-Authenticate"]


def test_ended_tokens_say_why(client: Client) -> None:
    past = timezone.now() - timedelta(seconds=1)
    expired, revoked = bearer("read", expires_at=past), bearer("read")
    ApiToken.objects.filter(expires_at=None).update(revoked_at=past)
    answers = [posted(client, modern("tools/list")[0], headers) for headers in (expired, revoked)]
    assert [answer.json()["error_code"] for answer in answers] == ["TOKEN_EXPIRED", "TOKEN_REVOKED"]


def test_a_token_opens_more_tools(client: Client) -> None:
    anonymous, agent = listed(client, "/mcp"), listed(client, "/mcp", **bearer("read", "write"))
    assert "store" not in anonymous
    assert set(anonymous) < set(agent) and "store" in agent


def test_an_operation_that_needs_a_token_is_401_without_one(client: Client) -> None:
    message, headers = modern("tools/call", name="store", arguments={"entities": [{"entity_type": "task"}]})
    response = posted(client, message, headers)
    assert (response.status_code, response.json()["error_code"]) == (401, "AUTH_REQUIRED")
    assert "Bearer" in response.json()["hint"]


def test_the_path_chooses_the_tools(client: Client) -> None:
    token = bearer("read", "write")
    known = [op for op in operations().values() if op.visible and op.scopes & {"read", "write"} and op.risk != "high"]
    assert listed(client, "/mcp", **token) == [op.name for op in known if op.default]
    in_toolset = [op.name for op in known if op.toolset == "substrate" or op.name == "find_operations"]
    assert listed(client, "/mcp/x/substrate", **token) == in_toolset
    reads = listed(client, "/mcp/readonly", **token)
    assert reads == [op.name for op in known if op.default and op.effect == "read"]
    assert "store" in listed(client, "/mcp", **token) and "store" not in reads


def test_an_unknown_toolset_is_404_and_told_which_exist(client: Client) -> None:
    response = posted(client, *modern("tools/list"), path="/mcp/x/nothing")
    assert (response.status_code, response.json()["error_code"]) == (404, "UNKNOWN_TOOLSET")
    assert "core" in response.json()["details"]["toolsets"]


def test_a_list_asks_the_database_only_who_calls(client: Client, django_assert_num_queries: Any) -> None:
    token = bearer("read")
    with django_assert_num_queries(1):
        listed(client, "/mcp", **token)
    with django_assert_num_queries(0):
        listed(client, "/mcp")


def test_a_write_stores_and_its_refusal_stores_nothing(client: Client) -> None:
    token = bearer("read", "write")
    good = {"entities": json.dumps([{"entity_type": "task", "title": "buy milk"}]), "idempotency_key": "k"}
    message, headers = modern("tools/call", name="store", arguments=good)
    first, again = (posted(client, message, headers | token).json()["result"] for _ in range(2))
    assert first["isError"] is False
    assert again["structuredContent"] == {**first["structuredContent"], "replayed": True}
    message, headers = modern("tools/call", name="store", arguments={**good, "entities": [{"entity_type": "x"}]})
    refused = posted(client, message, headers | token).json()["result"]
    assert (refused["isError"], refused["structuredContent"]["error_code"]) == (True, "IDEMPOTENCY_MISMATCH")

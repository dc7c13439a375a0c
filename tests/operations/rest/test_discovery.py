"""What a 401 names is there, and describes the surface that refused."""

from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from neotoma.access.principals import SCOPES

pytestmark = pytest.mark.django_db

PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_issues", "arguments": {}}}


@pytest.mark.parametrize(
    ("method", "path", "resource"),
    [("get", "/api/issues", ""), ("post", "/mcp", "/mcp"), ("post", "/mcp/readonly", "/mcp")],
)
def test_the_address_of_a_challenge_leads_to_the_metadata(method: str, path: str, resource: str) -> None:
    headers = {"Authorization": "Bearer ntk_made_up", "Accept": "application/json, text/event-stream"}
    refused = Client(headers=headers).generic(method.upper(), path, _body(method), content_type="application/json")
    assert refused.status_code == 401
    [address] = re.findall(r'resource_metadata="http://127\.0\.0\.1:8000(/[^"]+)"', refused.headers["WWW-Authenticate"])
    found = Client().get(address)
    assert (found.status_code, found.headers["Content-Type"]) == (200, "application/json")
    told = found.json()
    assert told["resource"] == f"http://127.0.0.1:8000{resource}"
    assert told["bearer_methods_supported"] == ["header"]
    assert told["scopes_supported"] == list(SCOPES)
    assert "authorization_servers" not in told


def _body(method: str) -> str:
    return json.dumps(PING) if method == "post" else ""


def test_the_metadata_is_for_whoever_asks() -> None:
    path = "/.well-known/oauth-protected-resource"
    assert Client(headers={"Authorization": "Bearer ntk_made_up"}).get(path).status_code == 200
    assert Client().post(path).status_code == 405
    assert Client().get(f"{path}/elsewhere").status_code == 404

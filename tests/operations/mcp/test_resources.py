from __future__ import annotations

import json
from typing import Any

import pytest

from neotoma.access.principals import ANONYMOUS, Principal
from neotoma.operations.mcp.dispatcher import Dispatcher
from neotoma.operations.mcp.guides import guide
from neotoma.operations.mcp.resources import RESOURCES, TEMPLATES
from neotoma.operations.mcp.results import Reply
from neotoma.operations.registry import find, operations
from tests.operations.mcp.fakes import agent, modern, visit

DISPATCHER = Dispatcher()
ABSENT = "ent_0123456789abcdef01234567"


def read(uri: str, principal: Principal = ANONYMOUS) -> Reply:
    message, headers = modern("resources/read", uri=uri)
    return DISPATCHER.handle(message, headers=headers, visit=visit(principal))


def error(reply: Reply) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reply.body)["error"]
    return found


@pytest.mark.parametrize("name", ["reporting", "triage"])
def test_guides_are_markdown_that_anyone_may_keep(name: str) -> None:
    result = json.loads(read(f"guide://{name}").body)["result"]
    assert result["contents"] == [{"uri": f"guide://{name}", "mimeType": "text/markdown", "text": guide(name)}]
    assert result["cacheScope"] == "public"


def test_every_operation_that_a_guide_names_exists() -> None:
    for name in ("submit_issue", "withdraw_issue", "withdraw_message", "list_issues", "list_events"):
        assert name in guide("reporting") + guide("triage")
        assert name in operations()


def test_every_listed_resource_can_be_read() -> None:
    for resource in RESOURCES:
        contents = json.loads(read(resource["uri"]).body)["result"]["contents"]
        assert [content["mimeType"] for content in contents] == [resource["mimeType"]]


def test_the_manifest_is_that_of_the_installation() -> None:
    (content,) = json.loads(read("neotoma://manifest").body)["result"]["contents"]
    listed = [op["name"] for op in json.loads(content["text"])["operations"]]
    assert listed == [name for name, op in operations().items() if op.visible]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_each_template_reads_through_an_operation_that_takes_its_arguments(template: Any) -> None:
    op = find(template.operation)
    assert op is not None and op.effect == "read"
    key = {"issue": "7", "entity": ABSENT}[template.name]
    params = op.params.model_validate(template.arguments(key))
    assert key in {str(value) for value in params.model_dump().values()}


@pytest.mark.parametrize(
    "uri",
    [
        "issue://0",
        "issue://x",
        "issue://-1",
        "issue://99999999999999999999",
        "entity://ent_1",
        "guide://../secret",
        "x",
    ],
)
def test_an_unknown_uri_is_an_invalid_parameter(uri: str) -> None:
    reply = read(uri)
    assert (reply.status, error(reply)["code"]) == (400, -32602)
    assert error(reply)["data"] == {"uri": uri}


@pytest.mark.django_db
@pytest.mark.parametrize("uri", ["issue://7", f"entity://{ABSENT}"])
def test_what_is_not_there_is_an_invalid_parameter_with_the_refusal(uri: str) -> None:
    found = error(read(uri, agent("read")))
    assert found["code"] == -32602
    assert (found["data"]["error_code"], found["data"]["request_id"]) == ("NOT_FOUND", "request-1")


@pytest.mark.django_db
def test_without_a_token_there_is_nothing_to_read() -> None:
    reply = read(f"entity://{ABSENT}")
    assert reply.status == 401
    assert json.loads(reply.body)["error_code"] == "AUTH_REQUIRED"

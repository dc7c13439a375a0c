from __future__ import annotations

import json
from typing import Any

import pytest

from neotoma.operations.mcp.prompts import PROMPTS
from tests.operations.mcp.fakes import dispatcher, modern, visit

DISPATCHER = dispatcher()


def asked(method: str, **params: Any) -> dict[str, Any]:
    message, headers = modern(method, **params)
    found: dict[str, Any] = json.loads(DISPATCHER.handle(message, headers=headers, visit=visit()).body)
    return found


def offered(reference: dict[str, str], name: str, value: str) -> list[str]:
    found = asked("completion/complete", ref=reference, argument={"name": name, "value": value})
    values: list[str] = found["result"]["completion"]["values"]
    return values


def test_prompts_are_described_and_in_the_order_of_names() -> None:
    prompts = asked("prompts/list")["result"]["prompts"]
    assert [prompt["name"] for prompt in prompts] == sorted(prompt.name for prompt in PROMPTS)
    assert all(prompt["description"] and all(a["description"] for a in prompt["arguments"]) for prompt in prompts)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_a_prompt_holds_the_words_it_was_given(prompt: Any) -> None:
    words = {argument.name: f"<{argument.name}>" for argument in prompt.arguments}
    (message,) = asked("prompts/get", name=prompt.name, arguments=words)["result"]["messages"]
    assert message["role"] == "user"
    assert all(word in message["content"]["text"] for word in words.values())


@pytest.mark.parametrize("arguments", [{}, {"problem": ""}, {"kind": "bug"}])
def test_a_required_argument_is_named(arguments: dict[str, str]) -> None:
    error = asked("prompts/get", name="report_problem", arguments=arguments)["error"]
    assert error["code"] == -32602
    assert "problem" in error["message"]


def test_an_unknown_prompt_is_refused() -> None:
    assert asked("prompts/get", name="nothing")["error"]["code"] == -32602


def test_completion_offers_what_starts_so() -> None:
    reference = {"type": "ref/prompt", "name": "report_problem"}
    assert offered(reference, "kind", "") == ["bug", "performance", "enhancement", "question", "security"]
    assert offered(reference, "kind", "pe") == ["performance"]
    assert offered(reference, "problem", "") == []
    assert offered({"type": "ref/prompt", "name": "nothing"}, "kind", "") == []
    assert offered({"type": "ref/resource", "uri": "issue://{number}"}, "number", "4") == []

"""The official Python client against a live server, in both eras, over HTTP and over stdio."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from neotoma.access.bootstrap import mint
from neotoma.access.models import Agent
from neotoma.operations.mcp.instructions import INSTRUCTIONS

Mode = Literal["auto", "legacy"]
ERAS = pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
Talk = Callable[[Client], Coroutine[Any, Any, None]]


def talked(talk: Talk, url: str, mode: Mode, token: str | None = None) -> None:
    """Connect, talk, leave."""

    async def whole() -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http), mode=mode) as client,
        ):
            await talk(client)

    asyncio.run(whole())


def token(*scopes: str) -> str:
    return mint(agent=Agent.objects.create(name="wasp"), scopes=list(scopes))


@ERAS
def test_it_introduces_itself(server: str, mode: Mode, version: str) -> None:
    async def talk(client: Client) -> None:
        assert client.protocol_version == version
        assert client.instructions == INSTRUCTIONS
        assert client.server_info is not None and client.server_info.name == "neotoma"

    talked(talk, f"{server}/mcp", mode)


@ERAS
def test_tools_are_listed_and_called(server: str, mode: Mode, version: str) -> None:
    async def talk(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools["store"].annotations is not None and tools["store"].annotations.destructive_hint is False
        stored = await client.call_tool("store", {"entities": [{"entity_type": "task", "title": "buy milk"}]})
        assert not stored.is_error and stored.structured_content is not None
        entity_id = stored.structured_content["entities"][0]["entity_id"]
        read = await client.call_tool("retrieve_entity_snapshot", {"entity_id": entity_id})
        assert read.structured_content is not None
        assert json.loads(read.content[0].text) == read.structured_content  # type: ignore[union-attr]  # a text block
        contents = (await client.read_resource(f"entity://{entity_id}")).contents
        assert "buy milk" in contents[0].text  # type: ignore[union-attr]  # a text resource

    talked(talk, f"{server}/mcp", mode, token("read", "write"))


@ERAS
def test_a_refusal_reaches_the_model(server: str, mode: Mode, version: str) -> None:
    async def talk(client: Client) -> None:
        refused = await client.call_tool("find_operations", {"limit": 0, "sort": "x"})
        assert refused.is_error and refused.structured_content is not None
        assert refused.structured_content["error_code"] == "VALIDATION_FAILED"
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("no_such_tool", {})

    talked(talk, f"{server}/mcp", mode)


@ERAS
def test_resources_and_prompts(server: str, mode: Mode, version: str) -> None:
    async def talk(client: Client) -> None:
        assert {str(r.uri) for r in (await client.list_resources()).resources} >= {"guide://reporting"}
        assert (await client.list_resource_templates()).resource_templates
        assert (await client.read_resource("guide://triage")).contents
        assert "report_problem" in [prompt.name for prompt in (await client.list_prompts()).prompts]
        prompt = await client.get_prompt("report_problem", {"problem": "It is slow."})
        assert "It is slow." in prompt.messages[0].content.text  # type: ignore[union-attr]  # a text block

    talked(talk, f"{server}/mcp", mode)


@ERAS
def test_toolsets_by_path(server: str, mode: Mode, version: str) -> None:
    async def talk(client: Client) -> None:
        assert {"delete_entity", "find_operations"} <= {tool.name for tool in (await client.list_tools()).tools}

    talked(talk, f"{server}/mcp/x/substrate", mode, token("read", "write"))


@ERAS
def test_a_bad_token_is_turned_away(server: str, mode: Mode, version: str) -> None:
    async def talk(client: Client) -> None:
        await client.list_tools()

    with pytest.raises((MCPError, ExceptionGroup)):
        talked(talk, f"{server}/mcp", mode, "ntk_unknown")


@ERAS
def test_over_stdio(tmp_path: Path, mode: Mode, version: str) -> None:
    root = Path(__file__).parents[3]
    script = "import django; django.setup(); from neotoma.operations.mcp.stdio import serve_stdio; serve_stdio()"
    command = StdioServerParameters(
        command=sys.executable,
        args=["-c", script],
        cwd=root,
        # With compiled modules the server answers the probe in time even on a busy machine.
        env={**os.environ, "NEOTOMA_DATA": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""},
    )

    async def whole() -> None:
        async with Client(stdio_client(command), mode=mode) as client:
            assert client.protocol_version == version
            found = await client.call_tool("find_operations", {"query": "store"})
            assert not found.is_error

    asyncio.run(whole())

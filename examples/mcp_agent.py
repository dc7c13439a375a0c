"""An agent: the official MCP client over Streamable HTTP, one session, called step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

Mode = Literal["auto", "legacy"]
"""auto: the protocol as it is now; legacy: with the handshake of earlier versions."""


class ToolRefused(Exception):
    """The tool said no; the rest is the answer's body."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.error_code = str(body["error_code"])
        self.message = str(body["message"])
        self.details: dict[str, Any] = dict(body.get("details") or {})
        super().__init__(f"{self.error_code}: {self.message} {body.get('hint', '')}")


@dataclass(frozen=True)
class Agent:
    """`answers` keeps everything that came back, as text."""

    client: Client
    portal: BlockingPortal
    answers: list[str] = field(default_factory=list)

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The tool's structured result. Raises `ToolRefused`, and the client's MCPError for what is not a refusal."""
        result = self.portal.call(self.client.call_tool, tool, arguments)
        self.answers.append(result.model_dump_json())
        body: dict[str, Any] = result.structured_content or {}
        if result.is_error:
            raise ToolRefused(body)
        return body

    def tools(self) -> list[str]:
        """Names of the tools that the server lists."""
        return [tool.name for tool in self.portal.call(self.client.list_tools).tools]


@contextmanager
def connected(url: str, token: str | None = None, mode: Mode = "auto") -> Iterator[Agent]:
    """An agent that is connected while the block runs; without a token it presents none."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(httpx2.AsyncClient(headers=headers)) as http,
        portal.wrap_async_context_manager(Client(streamable_http_client(url, http_client=http), mode=mode)) as client,
    ):
        yield Agent(client, portal)

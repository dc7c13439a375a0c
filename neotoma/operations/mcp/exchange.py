"""What answering one request has at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from neotoma.access.principals import Principal
from neotoma.operations.context import Surface
from neotoma.operations.invoke import Caller
from neotoma.operations.mcp.protocol import INVALID_PARAMS, ProtocolError, Request
from neotoma.operations.mcp.results import Result
from neotoma.operations.mcp.selection import DEFAULT, Selection
from neotoma.operations.mcp.tools import Tools


@dataclass(frozen=True, slots=True)
class Visit:
    """A message's way in. `authenticate` answers the principal or raises `Unauthenticated`."""

    authenticate: Callable[[], Principal]
    surface: Surface
    request_id: str
    selection: Selection = DEFAULT
    address: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    request: Request
    caller: Caller
    selection: Selection
    tools: Tools

    def refuse_cursor(self) -> None:
        """Lists here have one page, so no cursor was ever handed out; an empty one is as good as none."""
        if self.request.params.get("cursor"):
            raise ProtocolError(INVALID_PARAMS, "Unknown cursor: the list has one page.")


Handler = Callable[[Exchange], Result]

"""Operations of no product and messages of no client, for tests of the surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from neotoma.access.principals import ANONYMOUS, Principal, audience_of, expand
from neotoma.operations.catalogue import FIND_OPERATIONS
from neotoma.operations.context import Context
from neotoma.operations.mcp.dispatcher import Dispatcher
from neotoma.operations.mcp.exchange import Visit
from neotoma.operations.mcp.protocol import CAPABILITIES_KEY, MODERN, VERSION_KEY
from neotoma.operations.mcp.selection import DEFAULT, Selection
from neotoma.operations.registry import Operation, Route, find
from neotoma.operations.shapes import GuestAccessToken, PageParams, Params, Shape
from neotoma.substrate.actors import Actor
from neotoma.substrate.errors import NotFound

Message = dict[str, Any]


class Box(Shape):
    """A box of some size."""

    width: int = Field(ge=1, description="Width in cm.", examples=[3])
    inner: Box | None = Field(None, description="A box within.")


class MakeParams(Params):
    name: str = Field(max_length=40, description="Name of the box.", examples=["red"])
    kind: Literal["open", "shut"] = Field("open", description="Whether it has a lid.")
    only: Literal["one"] | None = Field(None, description="A single choice.")
    box: Box | None = Field(None, description="The box itself.")
    boxes: list[Box] = Field(default_factory=list, description="More of them.")
    tags: list[str] | None = Field(None, description="Words.")
    facts: dict[str, Any] = Field(default_factory=dict, description="Whatever else.")
    number: int | str | None = Field(None, description="A number or its text.")


class Made(Shape):
    given: dict[str, Any] = Field(description="What came in.")
    message: dict[str, Any] = Field(default_factory=dict, description="Named like a field of a refusal.")
    boxes: list[Box] = Field(default_factory=list, description="What was made.")
    role: str = Field("", description="Who called.")
    note: str | None = Field(None, description="Perhaps a note.")


class ReadParams(PageParams):
    size: int = Field(10, description="How many characters to answer.")


class ThreadParams(Params):
    guest_access_token: GuestAccessToken = None


class Nothing(Params):
    pass


def make_box(context: Context, params: MakeParams) -> Made:
    """Make a box.

    It comes back as it
    was given.
    """
    return Made(given=params.model_dump(mode="json", exclude_unset=True), role=context.principal.role)


def read_box(context: Context, params: ReadParams) -> Made:
    """Read so many characters."""
    return Made(given={"text": "é" * params.size})


def lose_box(context: Context, params: Nothing) -> Made:
    """Look for a box that is not there."""
    raise NotFound("There is no such box.", details={"box": "red"})


def break_box(context: Context, params: Nothing) -> Made:
    """Fail as nobody expects."""
    raise KeyError("password=hunter2")


def read_thread(context: Context, params: ThreadParams) -> Made:
    """Read a thread."""
    return Made(given={}, role=context.principal.role)


def purge_box(context: Context, params: Nothing) -> Made:
    """Burn a box."""
    return Made(given={})


def hidden_box(context: Context, params: Nothing) -> Made:
    return Made(given={})


def _operation(handler: Any, params: type[Params], **more: Any) -> Operation:
    declared: dict[str, Any] = {
        "title": "A box",
        "effect": "read",
        "risk": "low",
        "scopes": frozenset({"read"}),
        "route": Route("GET", handler.__name__),
        "toolset": "boxes",
        **more,
    }
    description = handler.__doc__ or ""
    return Operation(
        name=handler.__name__, description=description, params=params, result=Made, handler=handler, **declared
    )


EVERYBODY = frozenset({"anonymous", "guest", "read"})
FOUND = find(FIND_OPERATIONS)
assert FOUND is not None
BOXES = {
    op.name: op
    for op in (
        _operation(break_box, Nothing, scopes=EVERYBODY),
        FOUND,
        _operation(hidden_box, Nothing, scopes=EVERYBODY),
        _operation(lose_box, Nothing, scopes=EVERYBODY, toolset="lost", default=False),
        # Declared as a read, so that calling it needs no database.
        _operation(make_box, MakeParams, scopes=EVERYBODY),
        _operation(purge_box, Nothing, effect="write", risk="high", scopes=frozenset({"write"}), open_world=True),
        _operation(read_box, ReadParams, scopes=EVERYBODY),
        _operation(read_thread, ThreadParams, scopes=frozenset({"guest", "read"})),
    )
}


def boxes() -> Mapping[str, Operation]:
    return BOXES


def agent(*scopes: str, staff: bool = False) -> Principal:
    expanded = expand(scopes)
    return Principal(Actor("agent:1", "agent", "wasp"), expanded, audience_of(expanded, "agent:1"), staff=staff)


def visit(principal: Principal = ANONYMOUS, selection: Selection = DEFAULT) -> Visit:
    return Visit(lambda: principal, "mcp", "request-1", selection)


def modern(method: str, message_id: int | str = 1, **params: Any) -> tuple[Message, dict[str, str]]:
    """A message of the modern era with the headers that belong to it."""
    meta = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}
    headers = {"mcp-protocol-version": MODERN, "mcp-method": method}
    named = params.get("uri" if method == "resources/read" else "name")
    if named is not None and method in ("tools/call", "prompts/get", "resources/read"):
        headers["mcp-name"] = named
    return {"jsonrpc": "2.0", "id": message_id, "method": method, "params": {**params, "_meta": meta}}, headers


def legacy(method: str, message_id: int | str = 1, **params: Any) -> tuple[Message, dict[str, str]]:
    headers = {} if method == "initialize" else {"mcp-protocol-version": "2025-06-18"}
    return {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}, headers


def dispatcher() -> Dispatcher:
    return Dispatcher(boxes)

"""A few operations of no product, for tests of the surfaces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from django.db import OperationalError
from pydantic import Field

from neotoma.access import limits
from neotoma.access.limits import TooMany
from neotoma.operations import registry
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import GuestAccessToken, Page, PageParams, Params, Shape, WriteParams
from neotoma.substrate.errors import Conflict, ManagedType, NotFound

BARE = {"title": "Toy", "toolset": "toys"}


class Size(Shape):
    width: int = Field(description="Width in cm.")
    height: int = Field(description="Height in cm.")


class Echo(Shape):
    given: dict[str, object] = Field(description="What came in.")
    role: str = Field(description="Role of the caller.")
    request_id: str = Field(description="Id of the request.")
    replayed: bool = Field(False, description="True for a repeat.")


class FindParams(PageParams):
    tags: list[str] | None = Field(None, description="Tags.")
    size: Size | None = Field(None, description="A size.")
    filters: dict[str, str] = Field(default_factory=dict, description="By field.")
    open: bool | None = Field(None, description="Open ones.")
    order: Literal["asc", "desc"] = Field("asc", description="Direction.")


class Pages(Page):
    toys: list[dict[str, object]] = Field(description="This page.")


class MakeParams(WriteParams):
    name: str = Field(max_length=40, description="Name of the toy.", examples=["ball"])
    tags: list[str] = Field(default_factory=list, description="Tags.")
    size: Size | None = Field(None, description="A size.")
    note: str | None = Field("none", description="null clears it.")


class RemarkParams(WriteParams):
    issue_number: int | None = Field(None, ge=1, description="Number.")
    entity_id: str | None = Field(None, description="Entity id.")
    body: str = Field(description="Text.")
    guest_access_token: GuestAccessToken = None


class FailParams(Params):
    how: str = Field(description="Kind of failure.")


class NameParams(Params):
    name: str = Field(description="Name of the toy.")


def _echo(context: Context, params: Params) -> Echo:
    given = params.model_dump(mode="json", exclude_unset=True)
    return Echo(given=given, role=context.principal.role, request_id=context.request_id)


def find_toys(context: Context, params: FindParams) -> Echo:
    """Find toys by tag and size."""
    return _echo(context, params)


def make_toy(context: Context, params: MakeParams) -> Echo:
    """Make a toy. Undo: remove_toy."""
    return _echo(context, params)


def remark_toy(context: Context, params: RemarkParams) -> Echo:
    """Say something of a toy. Undo: remove_toy."""
    return _echo(context, params)


def get_toy(context: Context, params: NameParams) -> Echo:
    """Read one toy."""
    return _echo(context, params)


def remove_toy(context: Context, params: NameParams) -> Echo:
    """Remove a toy. Undo: make_toy."""
    return _echo(context, params)


def list_toys(context: Context, params: PageParams) -> Pages:
    """Five toys, page by page."""
    start = int(params.cursor or 0)
    end = start + params.limit
    toys: list[dict[str, object]] = [{"name": f"toy {number}"} for number in range(5)]
    return Pages(toys=toys[start:end], next_cursor=str(end) if end < 5 else None, total=5)


def break_toy(context: Context, params: FailParams) -> Echo:
    """Fail as told."""
    failures: dict[str, Exception] = {
        "missing": NotFound("There is no such toy."),
        "conflict": Conflict("Somebody else was first."),
        "managed": ManagedType("Not here.", hint="Use make_toy."),
        "limit": TooMany("More than 3.", details={"limit": 3, "retry_after": 7}),
        "database": OperationalError("server closed: password=hunter2"),
        "bug": KeyError("password=hunter2"),
    }
    raise failures[params.how]


def count_toy(context: Context, params: Params) -> Echo:
    """Two of these in an hour."""
    limits.take("toys", limit=2, window_s=3600, now_s=context.now.timestamp())
    return _echo(context, params)


def hidden_toy(context: Context, params: Params) -> Echo:
    return _echo(context, params)


@contextmanager
def toys() -> Iterator[dict[str, registry.Operation]]:
    """Only these operations exist inside the block."""
    kept = dict(registry._OPERATIONS)
    registry._OPERATIONS.clear()
    try:
        _declare()
        yield registry._OPERATIONS
    finally:
        registry._OPERATIONS.clear()
        registry._OPERATIONS.update(kept)


def _declare() -> None:
    read, agents, everybody = {"effect": "read", "risk": "low"}, ("read",), ("anonymous", "guest", "read")
    add = {"effect": "write", "risk": "low", "additive": True, "undo": "remove_toy"}
    _add(find_toys, scopes=everybody, route=Route("GET", "toys"), **read)
    _add(list_toys, scopes=everybody, route=Route("GET", "toys/all"), **read)
    _add(get_toy, scopes=everybody, route=Route("GET", "toys/{name}"), **read)
    _add(make_toy, scopes=("write",), route=Route("POST", "toys"), status=201, **add)
    _add(remark_toy, scopes=("guest", "write"), route=Route("POST", "toys/{issue}/remarks"), **add)
    _add(
        remove_toy,
        scopes=("write",),
        route=Route("DELETE", "toys/{name}"),
        effect="write",
        risk="mid",
        undo="make_toy",
    )
    _add(break_toy, scopes=everybody, route=Route("POST", "toys/break"), **read)
    _add(count_toy, scopes=everybody, route=Route("GET", "toys/count"), **read)
    _add(hidden_toy, scopes=agents, route=Route("GET", "toys/hidden"), **read)


def _add(handler: registry.Handler, **declared: object) -> None:
    operation(handler.__name__, **{**BARE, **declared})(handler)  # type: ignore[arg-type]

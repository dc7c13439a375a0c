"""`@operation`: one declared function gives the MCP tool, the REST endpoint, the CLI verb, the manifest row."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel

from neotoma.operations.context import Context

DEFAULT_TOOLSET = "core"
"""What an agent sees without asking for more; kept short, because every tool costs its context."""

Effect = Literal["read", "write"]
Risk = Literal["low", "mid", "high"]
Handler = Callable[[Context, Any], BaseModel]
Replay = Callable[[Context, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Route:
    """Where REST mounts an operation, e.g. `Route("POST", "issues/{issue}/messages")`.

    Path names bind parameters of the same name; `issue` and `entity` are resolved by `paths.py`.
    """

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str


@dataclass(frozen=True)
class Operation:
    """A use case. `description` is the handler's docstring: without one, no agent ever sees the operation.

    `scopes`: any one of them suffices; `anonymous` and `guest` open it to callers without a token and to thread grants.
    `undo`: the operation that reverts this one. `additive`: only adds. `crosses`: writes directly into another feature.
    `secrets`: fields of the answer that are never saved, `a.b` one within `a`; `replay` puts them back.
    """

    name: str
    title: str
    description: str
    params: type[BaseModel]
    result: type[BaseModel]
    handler: Handler
    effect: Effect
    risk: Risk
    scopes: frozenset[str]
    route: Route
    toolset: str
    undo: str = ""
    additive: bool = False
    crosses: bool = False
    restorable: bool = False
    open_world: bool = False
    default: bool = True
    status: int = 200
    secrets: tuple[str, ...] = ()
    replay: Replay | None = None

    @property
    def visible(self) -> bool:
        """Whether an agent may know of it."""
        return bool(self.description.strip())

    @property
    def takes_guest_token(self) -> bool:
        return "guest_access_token" in self.params.model_fields

    @property
    def idempotent(self) -> bool:
        return self.effect == "read" or "idempotency_key" in self.params.model_fields


_OPERATIONS: dict[str, Operation] = {}


def operation(
    name: str,
    *,
    title: str,
    effect: Effect,
    risk: Risk,
    scopes: tuple[str, ...],
    route: Route,
    toolset: str,
    **more: Any,
) -> Callable[[Handler], Handler]:
    """Declare an operation. The handler is `(context, params) -> result`; its annotations give the two shapes."""

    def declare(handler: Handler) -> Handler:
        if name in _OPERATIONS:
            raise ValueError(f"operation {name} is declared twice")
        hints = get_type_hints(handler)
        parameters = list(inspect.signature(handler).parameters)
        more.setdefault("default", toolset == DEFAULT_TOOLSET)
        _OPERATIONS[name] = Operation(
            name=name,
            title=title,
            description=inspect.getdoc(handler) or "",
            params=hints[parameters[1]],
            result=hints["return"],
            handler=handler,
            effect=effect,
            risk=risk,
            scopes=frozenset(scopes),
            route=route,
            toolset=toolset,
            **more,
        )
        return handler

    return declare


def operations() -> dict[str, Operation]:
    """Every declared operation, in the order of names."""
    return dict(sorted(_OPERATIONS.items()))


def visible_operations() -> Iterator[Operation]:
    """Those that exist for an agent."""
    return (op for op in operations().values() if op.visible)


def find(name: str) -> Operation | None:
    return _OPERATIONS.get(name)

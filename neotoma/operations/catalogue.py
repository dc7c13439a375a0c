"""Which operations there are for a caller, and the operation that finds them."""

from __future__ import annotations

from typing import Final, Literal

from django.conf import settings
from pydantic import Field

from neotoma.access.principals import SCOPES, Principal
from neotoma.operations.context import Context
from neotoma.operations.registry import Operation, Route, operation, visible_operations
from neotoma.operations.shapes import Page, PageParams, Shape
from neotoma.substrate.errors import InvalidInput

FIND_OPERATIONS: Final = "find_operations"


class FindOperationsParams(PageParams):
    query: str = Field(
        "", max_length=200, description="Words to look for; leave out to list all.", examples=["merge entities"]
    )
    toolset: str | None = Field(None, max_length=40, description="Only this toolset.", examples=["issues"])


class OperationView(Shape):
    name: str = Field(description="Name of the tool.")
    title: str = Field(description="A short human name.")
    description: str = Field(description="What it does; the first paragraph unless `detailed`.")
    effect: Literal["read", "write"] = Field(description="Whether it changes anything.")
    risk: Literal["low", "mid", "high"] = Field(description="low, mid (restorable) or high (a person decides).")
    undo: str = Field("", description="The operation that reverts it.")
    toolset: str = Field(description="The group it belongs to.")
    toolset_url: str = Field(description="Connect an MCP client here to have it as a tool.")
    default: bool = Field(description="Whether it is among the tools at /mcp.")


class FoundOperations(Page):
    operations: list[OperationView] = Field(description="Best match first.")


@operation(
    FIND_OPERATIONS,
    title="Find operations",
    effect="read",
    risk="low",
    scopes=("anonymous", "guest", *SCOPES),
    route=Route("GET", "operations"),
    toolset="core",
)
def find_operations(context: Context, params: FindOperationsParams) -> FoundOperations:
    """Find what else this server can do: every operation you may use, with its risk and the URL of its toolset.

    The list of tools is kept short; look here before you conclude that something is impossible.
    """
    words = params.query.lower().split()
    ranked = [(-_score(op, words), op.name, op) for op in visible_operations() if reachable(op, context.principal)]
    found = [
        op
        for score, _, op in sorted(ranked, key=lambda row: row[:2])
        if (score or not words) and params.toolset in (None, op.toolset)
    ]
    start = _start(params.cursor)
    end = start + params.limit
    return FoundOperations(
        operations=[_view(op, detailed=params.response_format == "detailed") for op in found[start:end]],
        next_cursor=str(end) if end < len(found) else None,
        total=len(found),
    )


def reachable(op: Operation, principal: Principal) -> bool:
    """Whether the principal could call it, with a guest token among the arguments if it takes one."""
    if op.risk == "high" and not principal.staff:
        return False
    return bool(op.scopes & principal.scopes) or (op.takes_guest_token and "guest" in op.scopes)


def paragraphs(description: str) -> list[str]:
    """The paragraphs of a docstring, each on one line."""
    return [" ".join(block.split()) for block in description.split("\n\n") if block.strip()]


def toolset_url(toolset: str) -> str:
    return f"{settings.NEOTOMA_BASE_URL}/mcp/x/{toolset}"


def _score(op: Operation, words: list[str]) -> int:
    """How well it answers: words in the name weigh more than words in the description."""
    name, text = f"{op.name} {op.title} {op.toolset}".lower(), op.description.lower()
    return sum(3 * (word in name) + (word in text) for word in words)


def _start(cursor: str | None) -> int:
    if cursor is None or cursor == "":
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 7):
        raise InvalidInput.at("cursor", "is not a next_cursor of this operation")
    return int(cursor)


def _view(op: Operation, *, detailed: bool) -> OperationView:
    blocks = paragraphs(op.description)
    return OperationView(
        name=op.name,
        title=op.title,
        description="\n".join(blocks) if detailed else blocks[0],
        effect=op.effect,
        risk=op.risk,
        undo=op.undo,
        toolset=op.toolset,
        toolset_url=toolset_url(op.toolset),
        default=op.default,
    )

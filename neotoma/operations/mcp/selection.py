"""Which tools a URL shows: the default ones, toolsets by name, or only those that read. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from neotoma.operations.catalogue import FIND_OPERATIONS
from neotoma.operations.registry import Operation
from neotoma.substrate.errors import NotFound


class UnknownToolset(NotFound):
    """The path names a toolset that no operation belongs to; `details.toolsets` lists those that exist."""

    error_code: ClassVar[str] = "UNKNOWN_TOOLSET"
    hint = "Use /mcp for the default tools, or /mcp/x/<toolset>[,<toolset>]."


@dataclass(frozen=True, slots=True)
class Selection:
    """Without toolsets: the default tools are listed and every other one can still be called by its name."""

    toolsets: frozenset[str] = frozenset()
    read_only: bool = False

    def lists(self, op: Operation) -> bool:
        if op.name == FIND_OPERATIONS:
            return True
        return self.allows(op) and (bool(self.toolsets) or op.default)

    def allows(self, op: Operation) -> bool:
        """Whether it can be called here at all; who may call it is for the policy."""
        if op.name == FIND_OPERATIONS:
            return True
        if self.read_only and op.effect != "read":
            return False
        return not self.toolsets or op.toolset in self.toolsets


DEFAULT = Selection()
READ_ONLY = Selection(read_only=True)


def of_names(names: str, known: Iterable[str]) -> Selection:
    """The selection of `issues,tickets`; `readonly` among the names keeps only what reads."""
    asked = frozenset(name.strip() for name in names.split(",") if name.strip())
    toolsets, existing = asked - {"readonly"}, frozenset(known)
    unknown = sorted(toolsets - existing)
    if unknown or not asked:
        raise UnknownToolset(f"There is no toolset {', '.join(unknown)[:120]}.", details={"toolsets": sorted(existing)})
    return Selection(toolsets, read_only="readonly" in asked)

"""Tools from operations: descriptors made once for each selection and set of scopes. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from neotoma.access.principals import Principal
from neotoma.operations.catalogue import paragraphs, reachable
from neotoma.operations.mcp.results import members
from neotoma.operations.mcp.schemas import input_schema, output_schema
from neotoma.operations.mcp.selection import Selection
from neotoma.operations.registry import Operation

Operations = Callable[[], Mapping[str, Operation]]

KEPT_LISTS: Final = 256
"""How many encoded lists a process keeps: selections times sets of scopes in use, with room to spare."""

arguments_of = lru_cache(maxsize=1024)(input_schema)
"""The input schema of a model of parameters."""


class Tools:
    """The tools of a set of operations, in the order of names. What has no description is not there."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self._lists: dict[tuple[object, ...], bytes] = {}

    def toolsets(self) -> frozenset[str]:
        return frozenset(op.toolset for op in self._operations().values() if op.visible)

    def find(self, name: str, selection: Selection) -> Operation | None:
        """The operation behind a tool, whoever may call it; None where it does not exist for this URL."""
        op = self._operations().get(name)
        return op if op is not None and op.visible and selection.allows(op) else None

    def reachable(self, principal: Principal) -> list[Operation]:
        """All that the principal could call, in every toolset."""
        return [op for op in self._operations().values() if op.visible and reachable(op, principal)]

    def listed(self, principal: Principal, selection: Selection) -> list[Operation]:
        return [op for op in self.reachable(principal) if selection.lists(op)]

    def list_members(self, principal: Principal, selection: Selection) -> bytes:
        """The members of the result of tools/list, encoded."""
        known = tuple(map(id, self._operations().values()))  # an operation that joins late makes a new list
        key = (selection, principal.scopes, principal.staff, known)
        found = self._lists.get(key)
        if found is None:
            found = members({"tools": [descriptor(op) for op in self.listed(principal, selection)]})
            if len(self._lists) >= KEPT_LISTS:
                self._lists.clear()
            self._lists[key] = found
        return found


def descriptor(op: Operation) -> dict[str, Any]:
    """The tool as a client sees it; all four hints are explicit because their defaults mislead."""
    meta: dict[str, Any] = {"io.neotoma/risk": op.risk}
    if op.effect == "write":
        meta["io.neotoma/undo"] = op.undo or None
    return {
        "name": op.name,
        "title": op.title,
        "description": "\n".join(paragraphs(op.description)),
        "inputSchema": arguments_of(op.params),
        "outputSchema": output_schema(op.result),
        "annotations": {
            "readOnlyHint": op.effect == "read",
            "destructiveHint": op.risk != "low",
            "idempotentHint": op.idempotent,
            "openWorldHint": op.open_world,
        },
        "_meta": meta,
    }

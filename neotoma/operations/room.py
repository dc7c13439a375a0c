"""How much an answer may hold, so that no read floods the context of the model that asked."""

from __future__ import annotations

from pydantic import BaseModel

MOST = 20_000
"""Characters of one result."""
_FRAME = 200
"""What stands around the parts: names, brackets, cursor."""


class Room:
    """What is left of one result, in characters of JSON."""

    def __init__(self, most: int = MOST) -> None:
        self._left = most - _FRAME

    def take(self, *parts: BaseModel) -> None:
        """Parts that are there in any case."""
        self._left -= sum(_size(part) for part in parts)

    def takes(self, part: BaseModel, *, instead_of: BaseModel | None = None) -> bool:
        """Whether a part comes in, in the place of another one where that is named. It does while there is room."""
        size = _size(part) - (_size(instead_of) if instead_of is not None else 0)
        if size > self._left:
            return False
        self._left -= size
        return True


def _size(part: BaseModel) -> int:
    return len(part.model_dump_json(exclude_none=True)) + 1

"""The risk of an operation, from what it does: pure."""

from __future__ import annotations

from typing import Literal

Level = Literal["low", "mid", "high"]


def required(*, effect: str, additive: bool, restorable: bool, crosses: bool, undo: str) -> Level:
    """What the rules say; a declaration must say the same.

    A read is low. A write into another feature, or one that nothing reverts, is high. An additive write with an undo
    is low. What overwrites or removes and can be restored is mid.
    """
    if effect == "read":
        return "low"
    if crosses or not (undo or restorable):
        return "high"
    return "low" if additive and undo else "mid"

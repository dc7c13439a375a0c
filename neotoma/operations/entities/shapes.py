"""What the operations on entities have in common."""

from __future__ import annotations

from pydantic import Field

EntityId = Field(
    pattern=r"^ent_[0-9a-f]{24}$",
    description="Id of the entity, from store or a list.",
    examples=["ent_0123456789abcdef01234567"],
)
ENTITY_TYPE = r"^[a-z][a-z0-9_]{0,62}$"


def observation_key(public_id: str) -> int:
    """The key behind `obs_7`."""
    return int(public_id.removeprefix("obs_"))

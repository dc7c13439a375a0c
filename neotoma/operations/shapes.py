"""Base shapes of parameters and results. Unknown arguments are refused by name."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """Frozen, closed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Params(Shape):
    """Parameters of any operation."""


class ReadParams(Params):
    """A read answers briefly unless asked for more."""

    response_format: Literal["concise", "detailed"] = Field(
        "concise", description="`concise` is brief, `detailed` has everything."
    )


class PageParams(ReadParams):
    """A list is read page by page."""

    limit: int = Field(20, ge=1, le=100, description="Entries on this page, 1 to 100.", examples=[20])
    cursor: str | None = Field(
        None, max_length=2_000, description="`next_cursor` of the page before; leave out for the first page."
    )


class WriteParams(Params):
    """A write is safe to repeat under its key."""

    idempotency_key: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="Unique text; a repeat answers the same.",
    )


GuestAccessToken = Annotated[
    str | None,
    Field(
        max_length=200,
        description="From submit_issue.",
        examples=["gst_..."],
    ),
]


class Page(Shape):
    """Where a list goes on. `total` is exact to 1,000; beyond that `total_capped` is true."""

    next_cursor: str | None = Field(None, description="Hand this back as `cursor` for the next page.")
    total: int = Field(0, description="How many there are in all, exact to 1,000.")
    total_capped: bool = Field(False, description="True when there are more than 1,000.")


class NamedWarning(Shape):
    """Something the caller should know although the call succeeded."""

    code: str = Field(description="Stable name of the warning.")
    message: str = Field(description="What it means here.")
    field: str | None = Field(None, description="The field it is about.")
    details: dict[str, object] = Field(default_factory=dict, description="Further facts, e.g. the value that was lost.")

"""What a page may ask of the site it stands on; the pages themselves know neither credentials nor operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from django.http import HttpRequest

from neotoma.substrate.actors import Audience


class Desk(Protocol):
    """The staff user behind a request, and what they can do."""

    def audience(self, request: HttpRequest) -> Audience:
        """What they see."""

    def has(self, request: HttpRequest, *scopes: str) -> bool:
        """Whether they hold any of these scopes."""

    def may(self, request: HttpRequest, operation: str) -> bool:
        """Whether the operation exists and they could call it."""

    def call(self, request: HttpRequest, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call it as them; raises `Refusal`."""

    def note(self, request: HttpRequest, action: str, subject: str = "", **details: Any) -> None:
        """An audit row for what the admin changes without an operation: credentials and upkeep, never facts."""

    def trail(self, request: HttpRequest, subject: str) -> Sequence[Any]:
        """The newest audit rows about an entity, for those who may read them."""

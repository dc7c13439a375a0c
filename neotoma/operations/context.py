"""What a handler knows of its call."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from neotoma.access.principals import Principal
from neotoma.substrate.actors import Audience
from neotoma.substrate.store import Write

Surface = Literal["mcp", "stdio", "rest", "cli", "admin", "process"]


@dataclass(slots=True)
class Context:
    """One call. `write` is there for writes only; reads run without a transaction."""

    principal: Principal
    surface: Surface
    now: datetime
    request_id: str = ""
    _write: Write | None = None
    subject: str = ""
    notes: dict[str, Any] = field(default_factory=dict)
    address: str = ""

    @property
    def write(self) -> Write:
        if self._write is None:
            raise RuntimeError("a read has no write")
        return self._write

    @property
    def audience(self) -> Audience:
        return self.principal.audience

    @property
    def in_process(self) -> bool:
        """Whether the caller is this installation itself."""
        return self.surface in ("process", "stdio", "cli")

    def about(self, entity_id: str, **notes: Any) -> None:
        """Name what the audit row is about; `notes` are short facts, never texts of a submission or secrets."""
        self.subject = entity_id
        self.notes.update(notes)

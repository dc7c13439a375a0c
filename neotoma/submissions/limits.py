"""How large a submission may be."""

from __future__ import annotations

from typing import ClassVar

from neotoma.substrate.errors import Refusal

MAX_TITLE = 300
MAX_BODY_BYTES = 64 * 1024
MAX_LABELS = 50
MAX_LINKS = 100


class BodyTooLarge(Refusal):
    error_code: ClassVar[str] = "BODY_TOO_LARGE"
    status = 413
    hint = "Cut logs to the lines that matter, or store the rest as an entity and link it."


def refuse_long_body(body: str, path: str = "body") -> None:
    """64 KB of UTF-8 at most."""
    size = len(body.encode())
    if size > MAX_BODY_BYTES:
        problem = f"{size} bytes, {MAX_BODY_BYTES} at most"
        raise BodyTooLarge(f"{path}: {problem}.", details={"fields": [{"path": path, "problem": problem}]})

"""A token and an e-mail address that must be nowhere afterwards, and the search for them."""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

LETTERS = string.ascii_letters + string.digits


@dataclass(frozen=True)
class Planted:
    """Made anew each time and put together only here, so that they stand in no file of the project."""

    token: str
    email: str

    def leaks(self, places: Iterable[tuple[str, bytes]]) -> list[str]:
        """Names of the places that hold one of the two."""
        wanted = (self.token.encode(), self.email.encode())
        return [name for name, content in places if any(text in content for text in wanted)]


def plant() -> Planted:
    """A token of a large vendor's form, and the address of a person."""
    token = "".join(("gh", "p", "_", *(secrets.choice(LETTERS) for _ in range(36))))
    return Planted(token, f"nora.{secrets.token_hex(3)}@shelfworks.io")


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file below the folder by its name there: database, write-ahead log, logs, broker."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield str(path.relative_to(folder)), path.read_bytes()

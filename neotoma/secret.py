"""The key that signs sessions and from which tokens are derived: given, or made once and kept."""

import os
import secrets
from pathlib import Path


def secret_key(given: str, data: Path) -> str:
    """The given key, else the one kept in `data/secret.key`, made on first use with mode 0600."""
    if given:
        return given
    path = data / "secret.key"
    if not path.exists():
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        _create(path, secrets.token_urlsafe(48))
    return path.read_text(encoding="ascii").strip()


def _create(path: Path, key: str) -> None:
    """Write the key under a name of its own and link it in place, so that of two first starts one wins whole."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(key)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()

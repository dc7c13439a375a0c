"""instance.json: where the instance is and how to get in, readable by its owner only."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Instance:
    """What a person or a program on this machine needs to use the instance."""

    base_url: str
    mcp_url: str
    operator_token: str
    reporter_token: str
    admin_user: str
    admin_password: str


def read_known(path: Path) -> dict[str, str]:
    """What an earlier start wrote; empty before the first one. Raises ValueError on a damaged file."""
    if not path.exists():
        return {}
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError(f"{path} is not a JSON object; remove it to have new tokens made")
    return {str(key): str(value) for key, value in found.items()}


def write(path: Path, instance: Instance) -> None:
    """Replace the file whole, never readable by others, not even for a moment."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(instance), file, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)

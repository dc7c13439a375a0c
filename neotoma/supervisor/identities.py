"""The first identities of an instance, made once and written down for whoever started it."""

from pathlib import Path

from neotoma.access.bootstrap import ensure_instance
from neotoma.supervisor.instance import Instance, read_known, write


def prepare(path: Path, base_url: str) -> Instance:
    """Make what is missing, keep what still works, and write instance.json to `path`."""
    made = ensure_instance(read_known(path))
    instance = Instance(
        base_url=base_url,
        mcp_url=f"{base_url}/mcp",
        operator_token=made.operator_token,
        reporter_token=made.reporter_token,
        admin_user=made.admin_user,
        admin_password=made.admin_password,
    )
    write(path, instance)
    return instance

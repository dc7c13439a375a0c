"""What a person reads once everything runs."""

import json
from pathlib import Path

from neotoma.supervisor.instance import Instance

_ROOT = "It runs as root, and so do its workers: an ordinary user is enough, and safer.\n\n"


def greeting(instance: Instance, path: Path, *, as_root: bool) -> str:
    """Addresses, tokens, admin login and two ready MCP client snippets; and that nothing here needs root."""
    return f"""
Neotoma is ready at {instance.base_url}

  admin page      {instance.base_url}/admin/   user {instance.admin_user}, password {instance.admin_password}
  MCP             {instance.mcp_url}
  operator token  {instance.operator_token}
  reporter token  {instance.reporter_token}
  (all of this is kept in {path})

Connect an agent:

  {claude_command(instance)}

or put this into an MCP client's configuration:

{_indented(client_configuration(instance))}

{_ROOT if as_root else ""}Ctrl-C stops everything.
"""


def claude_command(instance: Instance) -> str:
    """One shell line that adds the server to Claude Code."""
    header = f'--header "Authorization: Bearer {instance.reporter_token}"'
    return f"claude mcp add --transport http neotoma {instance.mcp_url} {header}"


def client_configuration(instance: Instance) -> str:
    """The JSON that most MCP clients read."""
    server = {
        "type": "http",
        "url": instance.mcp_url,
        "headers": {"Authorization": f"Bearer {instance.reporter_token}"},
    }
    return json.dumps({"mcpServers": {"neotoma": server}}, indent=2)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())

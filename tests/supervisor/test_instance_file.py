"""instance.json and the greeting."""

import json
import stat
from pathlib import Path

import pytest

from neotoma.supervisor import instance
from neotoma.supervisor.greeting import claude_command, client_configuration, greeting

MADE = instance.Instance(
    base_url="http://127.0.0.1:8000",
    mcp_url="http://127.0.0.1:8000/mcp",
    operator_token="op-1",
    reporter_token="rep-1",
    admin_user="admin",
    admin_password="pw-1",
)


def test_the_file_is_for_its_owner_only_and_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    path.write_text("{}")
    path.chmod(0o644)
    instance.write(path, MADE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert instance.read_known(path)["operator_token"] == "op-1"
    assert [entry.name for entry in tmp_path.iterdir()] == ["instance.json"]


def test_before_the_first_start_nothing_is_known(tmp_path: Path) -> None:
    assert instance.read_known(tmp_path / "instance.json") == {}


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "instance.json"
    path.write_text("[]")
    with pytest.raises(ValueError, match=r"instance\.json is not a JSON object"):
        instance.read_known(path)


def test_the_greeting_holds_all_that_one_needs() -> None:
    text = greeting(MADE, Path("/data/instance.json"), as_root=False)
    for needed in (MADE.base_url, MADE.mcp_url, "op-1", "rep-1", "admin", "pw-1", "/data/instance.json"):
        assert needed in text


@pytest.mark.parametrize("as_root", [True, False])
def test_the_greeting_says_that_nothing_needs_root(as_root: bool) -> None:
    assert ("runs as root" in greeting(MADE, Path("/data/instance.json"), as_root=as_root)) is as_root


def test_the_snippets_connect_as_the_reporter() -> None:
    assert claude_command(MADE) == (
        'claude mcp add --transport http neotoma http://127.0.0.1:8000/mcp --header "Authorization: Bearer rep-1"'
    )
    server = json.loads(client_configuration(MADE))["mcpServers"]["neotoma"]
    assert server["url"] == MADE.mcp_url
    assert server["headers"] == {"Authorization": "Bearer rep-1"}

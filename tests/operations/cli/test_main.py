"""The console script in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = [sys.executable, "-c", "import sys; from neotoma.operations.cli import main; sys.exit(main())"]


def _run(data: Path, *argv: str, given: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NEOTOMA_DATA": str(data)}
    environment.pop("DATABASE_URL", None)
    return subprocess.run(
        [*SCRIPT, *argv], input=given, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_help_lists_the_verbs(tmp_path: Path) -> None:
    done = _run(tmp_path, "--help")
    assert done.returncode == 0 and "retrieve_entities" in done.stdout and "tokens" in done.stdout


def test_mcp_is_spoken_over_standard_input_and_output(tmp_path: Path) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    done = _run(tmp_path, "mcp", given=json.dumps(hello) + "\n")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "neotoma"

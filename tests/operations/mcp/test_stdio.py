from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from neotoma.access.bootstrap import mint
from neotoma.access.models import Agent, ApiToken
from neotoma.operations.json import MAX_BYTES
from neotoma.operations.mcp.stdio import local, serve
from tests.operations.mcp.fakes import legacy, modern

ROOT = Path(__file__).parents[3]


def spoken(*lines: bytes, token: str | None = None) -> list[dict[str, Any]]:
    answers = io.BytesIO()
    serve(io.BytesIO(b"".join(line + b"\n" for line in lines)), answers, local(token))
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def line(made: tuple[dict[str, Any], dict[str, str]]) -> bytes:
    return json.dumps(made[0]).encode()


@pytest.mark.django_db
def test_a_conversation_of_the_legacy_era() -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    opened, tools = spoken(
        line(legacy("initialize", 1, **hello)),
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b"",
        line(legacy("tools/list", 2)),
    )
    assert (opened["id"], opened["result"]["protocolVersion"]) == (1, "2025-11-25")
    assert tools["id"] == 2 and tools["result"]["tools"]


@pytest.mark.django_db
def test_a_modern_message_needs_no_headers() -> None:
    (answer,) = spoken(line(modern("server/discover", "a")))
    assert (answer["id"], answer["result"]["resultType"]) == ("a", "complete")


@pytest.mark.django_db
def test_without_a_token_the_installation_itself_calls() -> None:
    found = spoken(line(modern("tools/call", name="find_operations", arguments={"query": "store"})))
    assert "store" in [op["name"] for op in found[0]["result"]["structuredContent"]["operations"]]


@pytest.mark.django_db
def test_a_token_is_looked_up_for_every_message() -> None:
    token = mint(agent=Agent.objects.create(name="wasp"), scopes=["read"])
    answer = local(token)
    assert b'"tools"' in answer(line(modern("tools/list")))
    ApiToken.objects.all().delete()
    refused = json.loads(answer(line(modern("tools/list", 4))))
    assert (refused["id"], refused["error"]["code"]) == (4, 401)
    assert refused["error"]["data"]["error_code"] == "TOKEN_INVALID"


@pytest.mark.django_db
def test_a_line_that_is_no_message_is_answered_and_the_next_one_works() -> None:
    answers = spoken(b"{", b"[]", b'"' + b"a" * (2 * MAX_BYTES) + b'"', line(modern("server/discover")))
    assert [answer.get("error", {}).get("code") for answer in answers] == [-32700, -32600, -32700, None]


def test_a_stray_print_does_not_break_the_protocol(tmp_path: Path) -> None:
    script = (
        "import django; django.setup()\n"
        "from neotoma.operations.mcp import stdio\n"
        "kept = stdio.local\n"
        "def noisy(token):\n"
        "    answer = kept(token)\n"
        "    return lambda line: (print('noise', flush=True), answer(line))[1]\n"
        "stdio.local = noisy\n"
        "stdio.serve_stdio()\n"
    )
    environment = {**os.environ, "NEOTOMA_DATA": str(tmp_path)}
    environment |= {"DATABASE_URL": f"sqlite:///{tmp_path / 'fresh.sqlite3'}"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=line(modern("server/discover")) + b"\n",
        env=environment,
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=True,
    )
    (answer,) = done.stdout.splitlines()
    assert json.loads(answer)["result"]["supportedVersions"][0] == "2026-07-28"
    assert b"noise" in done.stderr

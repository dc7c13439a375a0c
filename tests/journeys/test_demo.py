"""The demo, as `make demo` runs it: every step is printed, in order, and done."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from examples.instance import ROOT

pytestmark = pytest.mark.instance

STEPS = [
    "Start an instance of its own",
    "Formica gets a small git repository to look at",
    "A maintainer subscribes by webhook",
    "An agent connects with the official MCP client",
    "It stores two entities",
    "It meets a bug and files an issue about one of them, and is careless in the body",
    "The webhook arrives",
    "Formica shows what it would do: the first of each kind is a dry run",
    "The preview is released: Formica classifies and plans",
    "The plan is approved, by the operation behind the admin's button",
    "The reporter reads the status with its guest token",
    "The planted token and e-mail are nowhere",
]


def test_every_step_happens() -> None:
    command = [sys.executable, "-m", "examples.demo"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert re.findall(r"^ ?\d+  (.+)$", shown.stdout, re.MULTILINE) == STEPS
    assert shown.stdout.count("✓ done") == len(STEPS)
    assert f"All {len(STEPS)} steps happened" in shown.stdout
    assert "\x1b" not in shown.stdout

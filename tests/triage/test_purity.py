from __future__ import annotations

import ast
from pathlib import Path

import pytest

import triage

ROOT = Path(triage.__file__).parent
PURE = [
    "assessment", "boundary", "branches", "classification", "clusters", "commands", "environment", "facts", "findings",
    "gates", "git_safety", "limits", "mirroring", "phrases", "planner", "questions", "schemas", "sensitivity",
    "signals", "steps", "suspects",
    "suspicion", "switch", "terms", "text", "verdict",
]  # fmt: skip
BANNED = {"asyncio", "celery", "datetime", "django", "io", "os", "pathlib", "random", "requests", "secrets", "shutil",
          "socket", "subprocess", "sys", "tempfile", "threading", "time", "uuid"}  # fmt: skip
IMPURE = {"triage.bounded", "triage.git", "triage.repository", "triage.repository_search"}


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("name", PURE)
def test_a_decision_knows_no_clock_no_chance_and_no_world(name: str) -> None:
    modules = imported(ROOT / f"{name}.py")
    assert not {module.split(".")[0] for module in modules} & BANNED
    assert not modules & IMPURE


@pytest.mark.parametrize("name", ["revisions", "signature"])
def test_what_submissions_share_is_pure_too(name: str) -> None:
    modules = imported(ROOT.parent / "neotoma" / "submissions" / f"{name}.py")
    assert not {module.split(".")[0] for module in modules} & BANNED


def test_one_helper_makes_every_git_call() -> None:
    callers = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.List | ast.Tuple)
        and node.elts
        and isinstance(node.elts[0], ast.Constant)
        and node.elts[0].value == "git"
    }
    assert callers == {"git.py"}

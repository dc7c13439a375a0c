"""The locks install with hashes and name no host."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _pins(name: str) -> dict[str, str]:
    return dict(PIN.findall(_text(name)))


def _wanted(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=;! ]", requirement, maxsplit=1)[0].lower() for requirement in requirements}


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_carries_hashes_and_no_address(name: str) -> None:
    text = _text(name)
    starts = [match.start() for match in PIN.finditer(text)]
    assert len(starts) > 40
    blocks = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    assert [block.split("\n", 1)[0] for block in blocks if "--hash=sha256:" not in block] == []
    assert "://" not in text
    assert "index-url" not in text


def test_both_locks_agree() -> None:
    run, dev = _pins("requirements.lock"), _pins("requirements-dev.lock")
    assert {name: version for name, version in run.items() if dev.get(name) != version} == {}


def test_what_the_project_asks_for_is_locked() -> None:
    project = tomllib.loads(_text("pyproject.toml"))
    assert _wanted(project["project"]["dependencies"]) <= set(_pins("requirements.lock"))
    assert _wanted(project["dependency-groups"]["dev"]) <= set(_pins("requirements-dev.lock"))


def test_running_needs_no_development_tool() -> None:
    tools = {"pytest", "hypothesis", "mypy", "ruff", "uv", "import-linter", "mcp", "schemathesis"}
    assert tools <= set(_pins("requirements-dev.lock"))
    assert tools & set(_pins("requirements.lock")) == set()

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from examples.sample_repository import make_sample_repository
from triage.git import run_git


def test_the_same_call_makes_the_same_commits(tmp_path: Path) -> None:
    first = make_sample_repository(tmp_path / "first")
    second = make_sample_repository(tmp_path / "second")
    heads = [run_git(path, "for-each-ref", "--format=%(objectname) %(refname)").text for path in (first, second)]
    assert heads[0] == heads[1]
    names = [line.split()[1] for line in heads[0].splitlines()]
    assert names == ["refs/heads/feature/labels", "refs/heads/main", "refs/tags/v1.0.0", "refs/tags/v1.1.0"]


def test_its_tests_pass_and_its_bug_is_there(tmp_path: Path) -> None:
    path = make_sample_repository(tmp_path / "sample")
    tests = subprocess.run([sys.executable, "-m", "unittest"], cwd=path, capture_output=True, text=True, check=False)
    assert tests.returncode == 0, tests.stderr
    bug = "from shelf.store import Shelf; print(Shelf().store_entity('b', 'book', {'title': 'A', 'lent_out': False}))"
    shown = subprocess.run([sys.executable, "-c", bug], cwd=path, capture_output=True, text=True, check=True)
    assert shown.stdout == "{'title': 'A'}\n"


def test_a_directory_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileExistsError):
        make_sample_repository(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]

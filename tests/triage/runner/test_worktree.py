from __future__ import annotations

import stat
from pathlib import Path

import pytest

from examples.sample_repository import IDENTITY
from triage.git import run_git
from triage.repository import commit_of
from triage.runner.worktree import BaseUnknown, DirtyCheckout, WorktreeTaken, close_worktree, open_worktree


@pytest.fixture
def base(sample: Path) -> str:
    sha = commit_of(sample, "v1.1.0")
    assert sha is not None
    return sha


def test_a_worktree_is_private_and_at_the_commit(sample: Path, base: str, tmp_path: Path) -> None:
    root = tmp_path / "worktrees"
    place = open_worktree(sample, root, "run-1", base)
    assert commit_of(place, "HEAD") == base
    assert (place / "shelf" / "store.py").is_file()
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    assert run_git(sample, "status", "--porcelain").text == ""
    assert run_git(place, "branch", "--show-current").text.strip() == ""


def test_a_dirty_checkout_aborts_and_names_the_files(sample: Path, base: str, tmp_path: Path) -> None:
    (sample / "notes.txt").write_text("mine")
    with pytest.raises(DirtyCheckout) as caught:
        open_worktree(sample, tmp_path / "worktrees", "run-1", base)
    assert caught.value.details["files"] == ["notes.txt"]
    assert not (tmp_path / "worktrees").exists()


@pytest.mark.parametrize("sha", ["0" * 40, "main", "--force", ""])
def test_only_a_commit_that_is_there_is_a_base(sample: Path, tmp_path: Path, sha: str) -> None:
    with pytest.raises(BaseUnknown):
        open_worktree(sample, tmp_path / "worktrees", "run-1", sha)


def test_what_lies_there_is_not_overwritten(sample: Path, base: str, tmp_path: Path) -> None:
    kept = tmp_path / "worktrees" / "run-1" / "work.txt"
    kept.parent.mkdir(parents=True)
    kept.write_text("work")
    with pytest.raises(WorktreeTaken):
        open_worktree(sample, tmp_path / "worktrees", "run-1", base)
    assert kept.read_text() == "work"


def test_an_untouched_worktree_is_removed(sample: Path, base: str, tmp_path: Path) -> None:
    place = open_worktree(sample, tmp_path / "worktrees", "run-1", base)
    assert close_worktree(sample, place, base)
    assert not place.exists()
    assert len(run_git(sample, "worktree", "list", "--porcelain").text.split("worktree ")) == 2


@pytest.mark.parametrize("work", ["changed", "staged", "new", "ignored", "committed"])
def test_work_is_never_removed(sample: Path, base: str, tmp_path: Path, work: str) -> None:
    place = open_worktree(sample, tmp_path / "worktrees", "run-1", base)
    touched = place / {"new": "new.txt", "ignored": "ignored.txt"}.get(work, "README.md")
    if work == "ignored":
        (sample / ".git" / "info").mkdir(exist_ok=True)
        (sample / ".git" / "info" / "exclude").write_text("ignored.txt\n")
    touched.write_text("work")
    if work in ("staged", "committed"):
        run_git(place, "add", "--", "README.md")
    if work == "committed":
        run_git(place, "commit", "--quiet", "-m", "work", config=IDENTITY)
    assert not close_worktree(sample, place, base)
    assert touched.read_text() == "work"

"""Worktrees for runs: made at a commit, under a private folder, and removed only when nothing in them would be lost."""

from __future__ import annotations

from pathlib import Path

from neotoma.substrate.errors import Refusal
from triage.git import run_git, valid_sha
from triage.repository import commit_of, dirty_files


class WorktreeTaken(Refusal):
    """Something lies where the worktree should be made; it is never overwritten."""

    error_code = "WORKTREE_TAKEN"
    status = 409
    hint = "Look at what is there, and move it away."


class BaseUnknown(Refusal):
    """The checkout lacks the commit that the plan builds on."""

    error_code = "BASE_UNKNOWN"
    status = 422
    hint = "Fetch it, or have the issue planned again."


class DirtyCheckout(Refusal):
    """The checkout has changes that nobody committed; `details.files` names them."""

    error_code = "DIRTY_CHECKOUT"
    status = 409
    hint = "Commit or remove the named files."


def open_worktree(repo: Path, root: Path, name: str, base_sha: str) -> Path:
    """A fresh worktree of `repo` at `root/name`, detached at the commit. Raises the refusals here and of git."""
    dirty = dirty_files(repo)
    if dirty:
        raise DirtyCheckout(
            f"{len(dirty)} files of the checkout are not committed.", details={"files": list(dirty[:50])}
        )
    if not valid_sha(base_sha) or commit_of(repo, base_sha) is None:
        raise BaseUnknown("The checkout does not have the plan's commit.", details={"sha": base_sha})
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    root.chmod(0o700)
    place = root.resolve() / name
    if place.exists() or place.is_symlink():
        raise WorktreeTaken("The place of the worktree is taken.", details={"path": str(place)})
    run_git(repo, "worktree", "add", "--quiet", "--detach", "--", str(place), base_sha)
    return place


def close_worktree(repo: Path, place: Path, base_sha: str) -> bool:
    """Remove a worktree in which nothing was done; False when it holds anything that is recorded nowhere else."""
    if not place.exists():
        run_git(repo, "worktree", "prune")
        return True
    if unrecorded(place, base_sha):
        return False
    run_git(repo, "worktree", "remove", "--", str(place))
    return True


def unrecorded(place: Path, base_sha: str) -> bool:
    """Whether there is a change, a file that git does not keep (ignored ones too), or a commit since the base."""
    if commit_of(place, "HEAD") != base_sha or dirty_files(place):
        return True
    return bool(run_git(place, "ls-files", "--others", "-z", allow_partial=True).fields)

"""The collector: what a checkout knows about a reporter's build. Every call to git goes through the one helper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from triage.facts import RefFact, RepositoryFacts, ShaFact, VersionFact
from triage.git import GitFailed, run_git, valid_ref, valid_sha
from triage.schemas import ReporterFields

MAX_TAGS = 500
MAX_BRANCHES = 50
MAX_BRANCH_FILES = 500

# Branches of runs say nothing about where a reporter works.
OWN_BRANCHES = "formica/"

_VERSION = re.compile(r"\d+(?:\.\d+){1,4}(?:[-+._]?[0-9A-Za-z][0-9A-Za-z.+_-]{0,60})?")
_PREFIXES = ("refs/heads/", "refs/remotes/origin/", "refs/tags/", "origin/")


def collect_facts(path: Path | None, fields: ReporterFields) -> RepositoryFacts:
    """Facts about the commit, ref and version that a reporter named.

    Without a usable checkout at `path` only the forms of the fields are judged. Raises RepositoryUnsafe, and
    GitFailed when git breaks midway.
    """
    refused = tuple(_refused(fields))
    if path is None or not is_checkout(path):
        return RepositoryFacts(refused=refused)
    default = default_branch(path)
    default_sha = commit_of(path, default[1]) if default is not None else None
    return RepositoryFacts(
        available=True,
        default_branch=default[0] if default is not None else None,
        default_sha=default_sha,
        sha=_sha_fact(path, fields.reporter_git_sha, default_sha),
        ref=_ref_fact(path, fields.reporter_git_ref, default[0] if default is not None else None),
        version=_version_fact(path, fields.reporter_app_version),
        refused=refused,
    )


def is_checkout(path: Path) -> bool:
    """True for the top directory of a git checkout that git is willing to read."""
    if not path.is_dir():
        return False
    try:
        return run_git(path, "rev-parse", "--is-inside-work-tree").text.strip() == "true"
    except GitFailed:
        return False


def default_branch(path: Path) -> tuple[str, str] | None:
    """The default branch's name and full ref: the remote's word first, then custom, then what is checked out."""
    told = run_git(path, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD", accept=(0, 1)).text.strip()
    if told:
        return _short(told), told
    for name in ("main", "master", "trunk"):
        for full in (f"refs/remotes/origin/{name}", f"refs/heads/{name}"):
            if commit_of(path, full) is not None:
                return name, full
    head = run_git(path, "symbolic-ref", "--quiet", "HEAD", accept=(0, 1)).text.strip()
    return (_short(head), head) if head else None


def commit_of(path: Path, revision: str) -> str | None:
    """The full id of the commit that a checked revision names, or None."""
    found = run_git(
        path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", accept=(0, 1, 128)
    )
    return found.text.strip() or None


def dirty_files(path: Path) -> tuple[str, ...]:
    """Changed, staged and untracked files of a checkout, relative to its top; both ends of a rename."""
    status = run_git(path, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all").fields
    return tuple(entry[3:] for entry in status)


def _refused(fields: ReporterFields) -> Iterator[str]:
    sha, ref, version = fields.reporter_git_sha, fields.reporter_git_ref, fields.reporter_app_version
    if sha and sha.strip() and not valid_sha(sha):
        yield "reporter_git_sha"
    if ref and ref.strip() and not valid_ref(ref):
        yield "reporter_git_ref"
    if version and version.strip() and _VERSION.search(version[:200]) is None:
        yield "reporter_app_version"


def _sha_fact(path: Path, said: str | None, default_sha: str | None) -> ShaFact | None:
    if not said or not valid_sha(said):
        return None
    sha = commit_of(path, said.lower())
    # A branch may be called like an abbreviated commit; only the commit itself is meant.
    if sha is None or not sha.startswith(said.lower()):
        return ShaFact(known=False)
    on_default = default_sha is not None and _reaches(path, sha, default_sha)
    return ShaFact(
        known=True,
        sha=sha,
        on_default=on_default,
        tags=tags_with(path, sha),
        built_on=tuple(reversed(_refs(path, f"--merged={sha}", "-creatordate", MAX_TAGS, "refs/tags"))),
        branches=_branches_with(path, sha),
        branch_files=() if on_default or default_sha is None else _branch_files(path, sha, default_sha),
    )


def _ref_fact(path: Path, said: str | None, default: str | None) -> RefFact | None:
    if not said or not valid_ref(said) or said == "HEAD":
        return None
    name = _short(said)
    for full in (f"refs/heads/{name}", f"refs/remotes/origin/{name}"):
        sha = commit_of(path, full)
        if sha is not None:
            return RefFact(known=True, name=name, kind="default" if name == default else "branch", sha=sha)
    sha = commit_of(path, f"refs/tags/{name}")
    return RefFact(known=True, name=name, kind="tag", sha=sha) if sha else RefFact(known=False, name=name)


def _version_fact(path: Path, said: str | None) -> VersionFact | None:
    match = _VERSION.search(said[:200]) if said else None
    if match is None or not valid_ref(match[0]):
        return None
    for tag in (f"v{match[0]}", match[0], f"release-{match[0]}"):
        sha = commit_of(path, f"refs/tags/{tag}")
        if sha is not None:
            return VersionFact(known=True, tag=tag, sha=sha)
    return VersionFact(known=False)


def tags_with(path: Path, sha: str, limit: int = MAX_BRANCHES) -> tuple[str, ...]:
    """Tags that hold a commit, oldest first."""
    return _refs(path, f"--contains={sha}", "creatordate", limit, "refs/tags")


def _branches_with(path: Path, sha: str) -> tuple[str, ...]:
    found = _refs(path, f"--contains={sha}", "refname", MAX_BRANCHES, "refs/heads", "refs/remotes/origin")
    return tuple(dict.fromkeys(name for name in found if name != "HEAD" and not name.startswith(OWN_BRANCHES)))


def _refs(path: Path, condition: str, sort: str, limit: int, *under: str) -> tuple[str, ...]:
    """Names below `under` in the order of `sort`."""
    listed = run_git(
        path, "for-each-ref", condition, f"--sort={sort}", f"--count={limit}", "--format=%(refname)", *under
    )
    return tuple(_short(full) for full in listed.lines)


def _reaches(path: Path, sha: str, descendant: str) -> bool:
    return run_git(path, "merge-base", "--is-ancestor", sha, descendant, accept=(0, 1)).code == 0


def _branch_files(path: Path, sha: str, default_sha: str) -> tuple[str, ...]:
    fork = run_git(path, "merge-base", sha, default_sha, accept=(0, 1)).text.strip()
    if not fork:
        return ()
    changed = run_git(path, "diff", "--name-only", "--no-renames", "-z", fork, sha, "--", allow_partial=True)
    return tuple(changed.fields[:MAX_BRANCH_FILES])


def _short(ref: str) -> str:
    """A ref without the part that says where it is kept."""
    return next((ref[len(prefix) :] for prefix in _PREFIXES if ref.startswith(prefix)), ref)

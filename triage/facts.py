"""What the collector found in a repository, in words that pure decisions read and rows keep as JSON."""

from __future__ import annotations

from typing import Literal

from triage.schemas import Word


class ShaFact(Word):
    """A commit that the reporter named; `sha` is full.

    `tags` hold the commit and `built_on` are tags that it holds, both oldest first; `branch_files` changed since it
    left the default branch.
    """

    known: bool
    sha: str | None = None
    on_default: bool = False
    tags: tuple[str, ...] = ()
    built_on: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    branch_files: tuple[str, ...] = ()


class RefFact(Word):
    """A branch or tag that the reporter named; `name` is without `refs/heads/`, `origin/` and the like."""

    known: bool
    name: str | None = None
    kind: Literal["default", "branch", "tag", "none"] = "none"
    sha: str | None = None


class VersionFact(Word):
    """A release that the reporter named, and the tag that it was found under."""

    known: bool
    tag: str | None = None
    sha: str | None = None


class RepositoryFacts(Word):
    """`available` is False without a usable checkout; `refused` names fields whose form git must never see."""

    available: bool = False
    default_branch: str | None = None
    default_sha: str | None = None
    sha: ShaFact | None = None
    ref: RefFact | None = None
    version: VersionFact | None = None
    refused: tuple[str, ...] = ()

    @property
    def base(self) -> str | None:
        """The commit that the reporter ran, as far as the repository knows it."""
        for fact in (self.sha, self.version, self.ref):
            if fact is not None and fact.sha is not None:
                return fact.sha
        return None

    @property
    def looked_at(self) -> str | None:
        """The commit to search: the reporter's own where the default branch lacks it, else the newest."""
        if self.sha is not None and self.sha.known and not self.sha.on_default:
            return self.sha.sha
        if self.ref is not None and self.ref.kind == "branch" and (self.sha is None or not self.sha.known):
            return self.ref.sha
        return self.default_sha


class CommitFact(Word):
    """A commit on the default branch after the reporter's build; `tag` is the first release that holds it."""

    sha: str
    message: str
    files: tuple[str, ...] = ()
    tag: str | None = None


class FileHit(Word):
    """One term found in one file: as part of its name, where the term is defined, or in its text."""

    path: str
    term: str
    how: Literal["name", "definition", "text"]
    lines: tuple[int, ...] = ()


class ConstraintLine(Word):
    """A sentence of a foundation document that forbids something."""

    document: str
    line: int
    text: str


class SearchFacts(Word):
    """`truncated` says that a bound cut the search short, so that absence proves nothing."""

    hits: tuple[FileHit, ...] = ()
    constraints: tuple[ConstraintLine, ...] = ()
    later_commits: tuple[CommitFact, ...] = ()
    test_files: tuple[str, ...] = ()
    has_changelog: bool = False
    truncated: bool = False


class Reproduction(Word):
    """The outcome of actually trying, by a command or an agent run."""

    attempted: bool
    failed_as_reported: bool
    detail: str = ""

"""Where the reporter's problem lives (pure): a public release, a local commit, a local branch, or unknown.

Fields say what the reporter believes; facts say what the repository knows. Where they contradict each other nothing
is guessed: the conflict is named and the reporter is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from triage.facts import RepositoryFacts
from triage.schemas import EnvironmentFinding, EnvironmentKind, ReporterFields


def classify_environment(fields: ReporterFields, facts: RepositoryFacts) -> EnvironmentFinding:
    """The kind, the conflicts that forbid trusting it, and the evidence for both."""
    kind, evidence = _kind(fields, facts)
    conflicts = tuple(_conflicts(facts))
    return EnvironmentFinding(
        kind=kind,
        sha=facts.base if kind != "unknown" else None,
        branch=_branch(facts),
        version=_version(facts),
        conflicts=conflicts,
        evidence=evidence,
    )


def _kind(fields: ReporterFields, facts: RepositoryFacts) -> tuple[EnvironmentKind, tuple[str, ...]]:
    if facts.sha is not None:
        return _kind_by_sha(facts)
    if _said(fields.reporter_git_sha):
        return "unknown", _unseen("reporter_git_sha", facts)
    if facts.ref is not None and facts.ref.kind == "branch":
        return "local_branch", ("the ref is a branch other than the default branch",)
    if facts.version is not None and facts.version.known:
        return "public_release", (f"tag {facts.version.tag} exists for the version",)
    if facts.ref is not None and facts.ref.kind == "tag":
        return "public_release", ("the ref is a tag",)
    if _said(fields.reporter_app_version):
        return _kind_by_version_alone(facts)
    return "unknown", _unseen("reporter_git_ref", facts) if _said(fields.reporter_git_ref) else ("no build was named",)


def _kind_by_sha(facts: RepositoryFacts) -> tuple[EnvironmentKind, tuple[str, ...]]:
    sha, ref = facts.sha, facts.ref
    if sha is None or not sha.known:
        return "unknown", ("the repository does not know the commit",)
    if not sha.on_default and (sha.branches or (ref is not None and ref.kind == "branch")):
        return "local_branch", ("the commit is on a branch and not reachable from the default branch",)
    if ref is not None and ref.kind == "branch":
        return "local_branch", ("the ref is a branch other than the default branch",)
    if sha.tags:
        return "public_release", (f"tag {sha.tags[0]} holds the commit",)
    if sha.on_default:
        return "local_commit", ("the commit is reachable from the default branch and no tag holds it",)
    return "local_commit", ("the repository knows the commit and no branch or tag holds it",)


def _kind_by_version_alone(facts: RepositoryFacts) -> tuple[EnvironmentKind, tuple[str, ...]]:
    """A version is a release's name; only a repository that has no such tag can say otherwise."""
    if "reporter_app_version" in facts.refused:
        return "unknown", ("reporter_app_version is not a version",)
    if facts.available:
        return "unknown", ("no tag exists for the version",)
    return "public_release", ("only a version was named and there is no repository to ask",)


def _unseen(field: str, facts: RepositoryFacts) -> tuple[str, ...]:
    if field in facts.refused:
        return (f"{field} does not have the form of a revision",)
    return (f"{field} could not be looked up",) if not facts.available else (f"{field} is not in the repository",)


def _conflicts(facts: RepositoryFacts) -> Iterator[str]:
    yield from (f"{field}: not a valid form" for field in facts.refused)
    sha, ref, version = facts.sha, facts.ref, facts.version
    if sha is not None and sha.known:
        if version is not None and version.known and _release_lacks(facts):
            yield "reporter_app_version: the release does not hold the commit and is not built on it"
        if ref is not None and ref.kind == "default" and not sha.on_default:
            yield "reporter_git_ref: the commit is not reachable from that branch"
        if ref is not None and ref.kind == "branch" and not _on_branch(facts):
            yield "reporter_git_ref: the commit is not on that branch"
    if sha is not None and not sha.known:
        yield "reporter_git_sha: not in the repository"
    if ref is not None and not ref.known:
        yield "reporter_git_ref: not in the repository"


def _release_lacks(facts: RepositoryFacts) -> bool:
    """A build may come after the release whose version it carries, or be the first to carry it."""
    sha, version = facts.sha, facts.version
    if sha is None or version is None or version.tag is None:
        return False
    return version.tag not in sha.built_on and version.tag not in sha.tags[:1]


def _on_branch(facts: RepositoryFacts) -> bool:
    sha, ref = facts.sha, facts.ref
    return sha is not None and ref is not None and (sha.sha == ref.sha or ref.name in sha.branches)


def _branch(facts: RepositoryFacts) -> str | None:
    if facts.ref is not None and facts.ref.kind == "branch":
        return facts.ref.name
    if facts.sha is not None and not facts.sha.on_default and facts.sha.branches:
        return facts.sha.branches[0]
    return None


def _version(facts: RepositoryFacts) -> str | None:
    if facts.version is not None and facts.version.known:
        return facts.version.tag
    return facts.sha.tags[0] if facts.sha is not None and facts.sha.tags else None


def _said(value: str | None) -> bool:
    return value is not None and value.strip() != ""

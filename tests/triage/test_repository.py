from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.submissions.test_revisions import HOSTILE
from triage import git, repository
from triage.facts import RepositoryFacts
from triage.git import RepositoryUnsafe, run_git
from triage.repository import collect_facts, commit_of, default_branch, dirty_files, is_checkout
from triage.schemas import ReporterFields


def facts(path: Path, sha: str | None = None, ref: str | None = None, version: str | None = None) -> RepositoryFacts:
    fields = ReporterFields(reporter_git_sha=sha, reporter_git_ref=ref, reporter_app_version=version)
    return collect_facts(path, fields)


def commit(path: Path, revision: str) -> str:
    found = commit_of(path, revision)
    assert found is not None
    return found


def test_a_release(pristine: Path) -> None:
    sha = commit(pristine, "v1.0.0")
    found = facts(pristine, sha=sha, version="1.0.0")
    assert (found.available, found.default_branch) == (True, "main")
    assert found.sha is not None
    assert (found.sha.sha, found.sha.on_default) == (sha, True)
    assert found.sha.tags == ("v1.0.0", "v1.1.0")
    assert found.sha.built_on == ("v1.0.0",)
    assert found.version is not None
    assert (found.version.tag, found.version.sha) == ("v1.0.0", sha)
    assert found.base == sha


@pytest.mark.parametrize("said", ["1.1.0", "v1.1.0", " 1.1.0 ", "shelf 1.1.0", "shelf/1.1.0 (linux)"])
def test_a_version_is_found_under_its_tag(pristine: Path, said: str) -> None:
    found = facts(pristine, version=said).version
    assert found is not None
    assert found.tag == "v1.1.0"


def test_a_tag_without_a_letter_is_found_too(sample: Path) -> None:
    run_git(sample, "tag", "2.0.0")
    found = facts(sample, version="2.0.0").version
    assert found is not None
    assert found.tag == "2.0.0"


@pytest.mark.parametrize("said", ["9.9.9", "1.1.0+local", "1.1"])
def test_an_unknown_version(pristine: Path, said: str) -> None:
    found = facts(pristine, version=said).version
    assert found is not None
    assert not found.known


def test_a_commit_of_a_branch(pristine: Path) -> None:
    sha = commit(pristine, "feature/labels")
    found = facts(pristine, sha=sha[:10].upper(), ref="feature/labels")
    assert found.sha is not None
    assert (found.sha.sha, found.sha.on_default) == (sha, False)
    assert found.sha.branches == ("feature/labels",)
    assert found.sha.branch_files == ("shelf/labels.py",)
    assert found.ref is not None
    assert (found.ref.kind, found.ref.sha) == ("branch", sha)
    assert found.looked_at == sha


@pytest.mark.parametrize(
    ("ref", "kind"),
    [
        ("main", "default"),
        ("refs/heads/main", "default"),
        ("origin/feature/labels", "branch"),
        ("v1.0.0", "tag"),
        ("refs/tags/v1.0.0", "tag"),
        ("nothing-here", "none"),
    ],
)
def test_a_ref_is_known_by_its_kind(pristine: Path, ref: str, kind: str) -> None:
    found = facts(pristine, ref=ref).ref
    assert found is not None
    assert (found.kind, found.known) == (kind, kind != "none")


def test_head_says_nothing(pristine: Path) -> None:
    assert facts(pristine, ref="HEAD").ref is None


def test_an_unknown_commit(pristine: Path) -> None:
    found = facts(pristine, sha="deadbeef" * 5)
    assert found.sha is not None
    assert not found.sha.known
    assert found.base is None


def test_a_branch_called_like_a_commit_is_not_that_commit(sample: Path) -> None:
    run_git(sample, "branch", "abcdef1")
    found = facts(sample, sha="abcdef1").sha
    assert found is not None
    assert not found.known


def test_a_tree_is_no_commit(sample: Path) -> None:
    tree = run_git(sample, "rev-parse", "HEAD^{tree}").text.strip()
    found = facts(sample, sha=tree).sha
    assert found is not None
    assert not found.known


def test_branches_of_runs_say_nothing(sample: Path) -> None:
    run_git(sample, "branch", "formica/fix-1", "feature/labels")
    found = facts(sample, sha=commit(sample, "feature/labels")).sha
    assert found is not None
    assert found.branches == ("feature/labels",)


def test_unrelated_history_has_no_branch_files(sample: Path) -> None:
    run_git(sample, "checkout", "--quiet", "--orphan", "alone")
    run_git(sample, "commit", "--quiet", "-m", "x", config={"user.name": "T", "user.email": "t@example.org"})
    found = facts(sample, sha=commit(sample, "alone")).sha
    assert found is not None
    assert (found.on_default, found.branch_files) == (False, ())


def test_the_remotes_word_on_the_default_branch_counts(sample: Path) -> None:
    run_git(sample, "update-ref", "refs/remotes/origin/develop", "v1.0.0^{commit}")
    run_git(sample, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
    assert default_branch(sample) == ("develop", "refs/remotes/origin/develop")
    assert facts(sample).default_sha == commit(sample, "v1.0.0")


def test_an_unusual_default_branch_is_what_is_checked_out(sample: Path) -> None:
    run_git(sample, "branch", "-m", "main", "develop")
    assert default_branch(sample) == ("develop", "refs/heads/develop")


def test_an_empty_repository_knows_nothing(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "--quiet", "--template=", "--initial-branch=main")
    found = facts(tmp_path, sha="a" * 40, version="1.0.0")
    assert found.available
    assert found.default_sha is None
    assert found.sha is not None
    assert not found.sha.known


@pytest.mark.parametrize("where", ["", "missing"])
def test_without_a_checkout_only_forms_are_judged(tmp_path: Path, where: str) -> None:
    found = facts(tmp_path / where, sha="-h", version="1.0.0")
    assert not found.available
    assert found.refused == ("reporter_git_sha",)
    assert not is_checkout(tmp_path / where)
    assert collect_facts(None, ReporterFields(reporter_git_ref="a..b")).refused == ("reporter_git_ref",)


def test_a_repository_that_leads_elsewhere_is_not_read(sample: Path) -> None:
    config = sample / ".git" / "config"
    config.write_text(config.read_text() + "[core]\n\tworktree = /\n")
    with pytest.raises(RepositoryUnsafe):
        facts(sample)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every argument that git would have got; it answers everything alike."""
    arguments: list[str] = []

    def watch(repo: Path, *args: str, **options: Any) -> git.GitOutput:
        arguments.extend(args)
        return git.GitOutput("true\n", 0)

    monkeypatch.setattr(repository, "run_git", watch)
    return arguments


@pytest.mark.parametrize("hostile", [text for text in HOSTILE if text.strip()])
def test_git_never_sees_a_hostile_revision(tmp_path: Path, seen: list[str], hostile: str) -> None:
    found = facts(tmp_path, sha=hostile, ref=hostile)
    assert (found.available, found.refused) == (True, ("reporter_git_sha", "reporter_git_ref"))
    assert (found.sha, found.ref) == (None, None)
    facts(tmp_path)
    asked = seen[: len(seen) // 2]
    assert asked == seen[len(seen) // 2 :], "the same as without any revision"


def test_git_does_see_a_proper_revision(tmp_path: Path, seen: list[str]) -> None:
    facts(tmp_path, sha="abcdef1", ref="feature/x")
    assert {"abcdef1^{commit}", "refs/heads/feature/x^{commit}"} <= set(seen)


def test_facts_are_stored_as_json(pristine: Path) -> None:
    found = facts(pristine, sha=commit(pristine, "main"), ref="main", version="1.0.0")
    assert RepositoryFacts.model_validate_json(found.model_dump_json()) == found


def test_dirty_files_are_named(sample: Path) -> None:
    assert dirty_files(sample) == ()
    (sample / "shelf" / "store.py").write_text("x\n")
    (sample / "new file.txt").write_text("x\n")
    (sample / "README.md").unlink()
    (sample / "staged.txt").write_text("x\n")
    run_git(sample, "add", "--", "staged.txt")
    assert set(dirty_files(sample)) == {"shelf/store.py", "new file.txt", "README.md", "staged.txt"}


def test_looking_writes_nothing(sample: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in sample.rglob("*")}
    facts(sample, sha=commit(sample, "main"), ref="main", version="1.0.0")
    assert dirty_files(sample) == ()
    assert {path: path.stat().st_mtime_ns for path in sample.rglob("*")} == before


def test_a_link_to_a_checkout_is_that_checkout(sample: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(sample)
    assert is_checkout(link)
    shutil.rmtree(sample / ".git")
    assert not is_checkout(link)

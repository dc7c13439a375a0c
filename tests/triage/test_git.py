"""The one helper against repositories that want a program run. A marker file would betray any that ran."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.git import GitFailed, GitTooMuch, RepositoryUnsafe, run_git
from triage.repository import collect_facts, dirty_files
from triage.repository_search import search
from triage.schemas import ReporterFields
from triage.terms import SearchTerms

ATTRIBUTES = "*.py filter=evil diff=evil merge=evil\n*.sql filter=other\n"
HOOKS = ("post-checkout", "pre-commit", "commit-msg", "post-commit", "post-index-change", "reference-transaction")
IDENTITY = {"user.name": "T", "user.email": "t@example.org"}


def plain_git(repo: Path, *args: str) -> None:
    """git as the repository's owner would run it, to set a trap."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null"}
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.org")
    subprocess.run(["git", *identity, *args], cwd=repo, env=env, check=True, capture_output=True)


@pytest.fixture
def markers(tmp_path: Path) -> Path:
    directory = tmp_path / "markers"
    directory.mkdir()
    return directory


@pytest.fixture
def trap(tmp_path: Path, markers: Path) -> Callable[[str], str]:
    def make(name: str) -> str:
        program = tmp_path / f"trap-{name}"
        program.write_text(f"#!/bin/sh\ntouch '{markers}/{name}'\ncat\n")
        program.chmod(0o755)
        return str(program)

    return make


@pytest.fixture
def hostile(sample: Path, trap: Callable[[str], str]) -> Path:
    """A checkout whose configuration, attributes and hooks name a program wherever git lets them."""
    settings = {
        "core.fsmonitor": "fsmonitor", "diff.external": "external", "filter.evil.smudge": "smudge",
        "filter.evil.clean": "clean", "filter.other.process": "process", "diff.evil.textconv": "textconv",
        "diff.evil.command": "command", "merge.evil.driver": "driver", "core.pager": "pager", "pager.log": "pager-log",
        "pager.status": "pager-status", "core.editor": "editor", "core.sshCommand": "ssh", "core.askPass": "askpass",
        "credential.helper": "credential", "gpg.program": "gpg", "core.alternateRefsCommand": "alternates",
        "uploadpack.packObjectsHook": "pack", "trailer.evil.command": "trailer",
        "interactive.diffFilter": "interactive",
    }  # fmt: skip
    hooks = sample / "hooks"
    for directory in (hooks, sample / ".git" / "hooks"):
        directory.mkdir(exist_ok=True)
        for name in HOOKS:
            (directory / name).write_text(Path(trap(f"hook-{name}")).read_text())
            (directory / name).chmod(0o755)
    (sample / ".git" / "info").mkdir(exist_ok=True)
    (sample / ".git" / "info" / "attributes").write_text(ATTRIBUTES)
    (sample / ".gitattributes").write_text(ATTRIBUTES)
    config = sample / ".git" / "config"
    lines = [f'[core]\n\thooksPath = {hooks}\n[filter "evil"]\n\trequired = true\n[log]\n\tshowSignature = true\n']
    for key, name in settings.items():
        section, _, variable = key.rpartition(".")
        head, _, sub = section.partition(".")
        lines.append(f'[{head} "{sub}"]\n' if sub else f"[{head}]\n")
        lines.append(f"\t{variable} = {trap(name)}\n")
    config.write_text(config.read_text() + "".join(lines) + "[commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true\n")
    return sample


def test_the_traps_work(hostile: Path, markers: Path) -> None:
    """Without the helper they do run, or the tests below would prove nothing."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    (hostile / "shelf" / "store.py").write_text("changed = True\n")
    (hostile / "README.md").write_text("changed\n")
    for args in (["status"], ["diff"], ["show", "--textconv"], ["checkout", "--force", "v1.0.0"]):
        subprocess.run(["git", *args], cwd=hostile, env=env, check=False, capture_output=True)
    ran = {path.name for path in markers.iterdir()}
    assert ran >= {"fsmonitor", "external", "command", "clean", "smudge", "process", "hook-post-checkout"}


LOOKS = [
    ("status", "--porcelain"),
    ("diff",),
    ("diff", "HEAD"),
    ("diff", "--cached"),
    ("diff", "v1.0.0", "v1.1.0"),
    ("log", "-p", "--all"),
    ("log", "--show-signature"),
    ("show", "HEAD"),
    ("show", "HEAD:README.md"),
    ("blame", "shelf/store.py"),
    ("grep", "-n", "def", "HEAD"),
    ("grep", "-n", "def"),
    ("diff-index", "-p", "HEAD"),
    ("diff-files", "-p"),
    ("diff-tree", "-p", "HEAD"),
    ("format-patch", "--stdout", "-1"),
    ("ls-files", "--modified"),
    ("stash", "list"),
    ("describe", "--always", "--dirty"),
    ("checkout", "--quiet", "--force", "v1.0.0"),
    ("checkout", "--quiet", "-b", "x"),
    ("add", "-A"),
    ("reset", "--hard", "--quiet"),
    ("update-index", "--refresh"),
]


def test_no_look_runs_a_program(hostile: Path, markers: Path) -> None:
    for args in LOOKS:
        (hostile / "shelf" / "store.py").write_text("changed = True\n")
        (hostile / "README.md").write_text("changed\n")
        assert run_git(hostile, *args, accept=(0, 1), config=IDENTITY).code in (0, 1)
        assert (args, list(markers.iterdir())) == (args, [])


def test_no_commit_worktree_or_removal_runs_a_program(hostile: Path, markers: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    run_git(hostile, "worktree", "add", "--quiet", "-b", "fix/x", str(work), "v1.1.0")
    (work / "shelf" / "store.py").write_text("changed = True\n")
    assert dirty_files(work) == ("shelf/store.py",)
    run_git(work, "add", "--", "shelf/store.py")
    run_git(work, "commit", "--quiet", "-m", "Change", config=IDENTITY)
    run_git(work, "tag", "-a", "-m", "x", "v9", config=IDENTITY)
    assert "+changed = True" in run_git(work, "show", "HEAD").text
    run_git(hostile, "worktree", "remove", str(work))
    assert not work.exists()
    assert list(markers.iterdir()) == []


def test_the_collector_runs_no_program(hostile: Path, markers: Path) -> None:
    head = run_git(hostile, "rev-parse", "HEAD").text.strip()
    fields = ReporterFields(reporter_git_sha=head, reporter_git_ref="feature/labels", reporter_app_version="1.0.0")
    facts = collect_facts(hostile, fields)
    found = search(hostile, SearchTerms(symbols=("store_entity",), words=("stor",)), facts)
    assert facts.available
    assert found.hits
    assert dirty_files(hostile)
    assert list(markers.iterdir()) == []


def test_smudged_content_is_the_stored_content(hostile: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    run_git(hostile, "worktree", "add", "--quiet", "--detach", str(work), "v1.1.0")
    assert (work / "shelf" / "store.py").read_text() == run_git(hostile, "show", "v1.1.0:shelf/store.py").text


@pytest.fixture
def nested(sample: Path, trap: Callable[[str], str]) -> Path:
    """A checkout with a populated submodule whose own configuration is hostile."""
    inner = sample / "inner"
    inner.mkdir()
    plain_git(inner, "init", "--quiet")
    (inner / "file").write_text("x\n")
    plain_git(inner, "add", "file")
    plain_git(inner, "commit", "--quiet", "-m", "x")
    plain_git(sample, "add", "inner")
    plain_git(sample, "commit", "--quiet", "-m", "inner")
    plain_git(inner, "config", "core.fsmonitor", trap("inner-fsmonitor"))
    plain_git(inner, "config", "filter.evil.clean", trap("inner-clean"))
    (inner / ".gitattributes").write_text("* filter=evil\n")
    (inner / "file").write_text("y\n")
    return sample


@pytest.mark.parametrize(
    "args", [("status",), ("diff",), ("diff", "HEAD"), ("diff-files",), ("log", "-p"), ("checkout", "v1.0.0")]
)
def test_a_submodule_is_not_entered(nested: Path, markers: Path, args: tuple[str, ...]) -> None:
    assert run_git(nested, *args, accept=(0, 1, 128)).code in (0, 1, 128)
    assert list(markers.iterdir()) == []


@pytest.mark.parametrize("args", [("add", "-u"), ("add", "-A"), ("commit", "-a", "-m", "x"), ("stash", "push")])
def test_what_would_enter_a_submodule_is_refused(nested: Path, markers: Path, args: tuple[str, ...]) -> None:
    with pytest.raises(RepositoryUnsafe) as refused:
        run_git(nested, *args, config=IDENTITY)
    assert refused.value.details == {"paths": ["inner"]}
    assert list(markers.iterdir()) == []


@pytest.mark.parametrize(
    ("key", "value"), [("core.worktree", "/"), ("url.ext::sh -c touch% x.insteadOf", "https://example.org/")]
)
def test_a_repository_that_leads_elsewhere_is_refused(sample: Path, key: str, value: str) -> None:
    plain_git(sample, "config", key, value)
    with pytest.raises(RepositoryUnsafe) as refused:
        run_git(sample, "status")
    assert refused.value.details["keys"] == [
        key.lower() if key.startswith("core") else key.replace("insteadOf", "insteadof")
    ]


@pytest.mark.parametrize(
    "address",
    ["ext::sh -c touch% MARKER", "https://127.0.0.1:9/x", "ssh://127.0.0.1/x", "file:///nonexistent", "/nonexistent"],
)
def test_no_transport_is_open_by_default(sample: Path, address: str) -> None:
    with pytest.raises(GitFailed) as refused:
        run_git(sample, "ls-remote", "--end-of-options", address)
    assert "not allowed" in refused.value.details["stderr"]


def test_a_named_transport_is_open(sample: Path, pristine: Path) -> None:
    assert "refs/tags/v1.0.0" in run_git(sample, "ls-remote", str(pristine), protocols=("file",)).text


def test_a_directory_inside_another_repository_is_not_that_repository(sample: Path) -> None:
    with pytest.raises(GitFailed, match="git log failed"):
        run_git(sample / "shelf", "log")


def test_the_environment_of_the_worker_stays_out(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "/bin/false")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare=true'")
    assert run_git(sample, "rev-parse", "--is-inside-work-tree").text == "true\n"


def test_a_failure_names_the_command_and_its_words(sample: Path) -> None:
    with pytest.raises(GitFailed) as refused:
        run_git(sample, "rev-parse", "--verify", "nothing-here")
    assert refused.value.details["command"] == "rev-parse"
    assert "Needed a single revision" in refused.value.details["stderr"]


@pytest.mark.parametrize("repo", ["nowhere", "a\x00b"])
def test_a_path_that_is_none_is_a_refusal(tmp_path: Path, repo: str) -> None:
    with pytest.raises((GitFailed, ValueError)):
        run_git(tmp_path / repo, "status")


def test_output_is_bounded(sample: Path) -> None:
    with pytest.raises(GitTooMuch):
        run_git(sample, "log", "-p", "--all", limit_bytes=500)
    part = run_git(sample, "log", "-p", "--all", limit_bytes=500, allow_partial=True)
    assert part.partial
    assert len(part.text) == 500


def test_an_argument_is_never_a_command_line(sample: Path, markers: Path) -> None:
    with pytest.raises(GitFailed):
        run_git(sample, "rev-parse", "--verify", "--end-of-options", f"x; touch {markers}/shell")
    assert list(markers.iterdir()) == []

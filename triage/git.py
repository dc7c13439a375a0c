"""The one helper that makes every git call.

Argument lists without a shell, a fixed environment, overrides for everything by which a repository could run a
program, bounds on time and output. Callers put `--end-of-options` before revisions and `--` before paths, and check
names with `valid_ref` and `valid_sha` first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neotoma.submissions.revisions import valid_ref, valid_sha
from neotoma.substrate.errors import Refusal
from triage import git_safety
from triage.bounded import Output, run_bounded

__all__ = ["GitFailed", "GitOutput", "GitTooMuch", "RepositoryUnsafe", "run_git", "valid_ref", "valid_sha"]

TIMEOUT_S = 30.0
LIMIT_BYTES = 4 * 1024 * 1024
INDEX_BYTES = 64 * 1024 * 1024

# These ask a submodule for its status whatever they are told.
_ENTERS_SUBMODULES = frozenset({"add", "commit", "stash"})


class GitFailed(Refusal):
    """git said no, did not start, or took too long; `details` holds the command's name and its last words."""

    error_code = "ERR_GIT_FAILED"
    status = 422
    hint = "The path must be a git checkout that belongs to the user who runs the worker."


class GitTooMuch(GitFailed):
    """More output than the caller allowed."""

    error_code = "ERR_GIT_TOO_MUCH"
    hint = "Narrow the question, or accept a part."


class RepositoryUnsafe(Refusal):
    """The repository points git at another place, or into one; nothing can override it."""

    error_code = "ERR_REPOSITORY_UNSAFE"
    status = 422
    hint = "Remove the named configuration keys, or use a checkout without populated submodules."


@dataclass(frozen=True)
class GitOutput:
    """What git printed. `partial` is true when the caller accepted a part and there was more."""

    text: str
    code: int
    partial: bool = False

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def fields(self) -> list[str]:
        """The NUL-separated fields that `-z` prints."""
        return [field for field in self.text.split("\0") if field]


def run_git(
    repo: Path,
    *args: str,
    timeout_s: float = TIMEOUT_S,
    limit_bytes: int = LIMIT_BYTES,
    accept: Sequence[int] = (0,),
    allow_partial: bool = False,
    protocols: Sequence[str] = (),
    config: Mapping[str, str] | None = None,
    date: str | None = None,
) -> GitOutput:
    """Run `git *args` in `repo`, which must be the top of a checkout (or empty, for `init`).

    `accept`: exit codes that are answers. `allow_partial`: keep a beginning instead of refusing long output.
    `protocols`: transports that may be used, none by default. `config`: the caller's own settings, an identity or a
    header of a push. `date`: author's and committer's date of a commit or tag. Raises GitFailed, GitTooMuch,
    RepositoryUnsafe.
    """
    place = repo.resolve()
    environ = git_safety.environment(os.environ.get("PATH", os.defpath), str(place.parent), protocols)
    settings = _settings(place, environ)
    if args[0] in _ENTERS_SUBMODULES:
        _refuse_nested(place, environ | git_safety.as_environment(settings))
    environ |= git_safety.as_environment([*settings, *(config or {}).items()])
    if date is not None:
        environ |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    command, *rest = args
    output = _run(place, [command, *git_safety.flags(command), *rest], environ, timeout_s, limit_bytes)
    return _answer(output, command, accept, allow_partial)


def _settings(place: Path, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """The overrides for this repository. Reading configuration runs nothing."""
    first = {**environ, **git_safety.as_environment(list(git_safety.FIXED.items()))}
    listed = _run(place, ["config", "--list", "--name-only", "-z"], first, TIMEOUT_S, LIMIT_BYTES)
    keys = _answer(listed, "config", (0,), allow_partial=False).fields
    unsafe = git_safety.misleading(keys)
    if unsafe:
        raise RepositoryUnsafe("The repository's configuration points elsewhere.", details={"keys": list(unsafe)})
    return git_safety.overrides(keys)


def _refuse_nested(place: Path, environ: Mapping[str, str]) -> None:
    """git looks into a populated submodule with a git of its own, which obeys that repository's configuration."""
    listed = _run(place, ["ls-files", "--stage", "-z"], environ, TIMEOUT_S, INDEX_BYTES)
    entries = (entry.partition("\t") for entry in _answer(listed, "ls-files", (0,), allow_partial=False).fields)
    nested = [path for stage, _, path in entries if stage.startswith("160000 ") and (place / path / ".git").exists()]
    if nested:
        raise RepositoryUnsafe("A populated submodule lies in the checkout.", details={"paths": nested})


def _run(place: Path, args: Sequence[str], environ: Mapping[str, str], timeout_s: float, limit: int) -> Output:
    try:
        return run_bounded(["git", "--no-pager", *args], cwd=place, env=environ, timeout_s=timeout_s, limit_bytes=limit)
    except (OSError, ValueError) as error:
        raise GitFailed("git could not be started there.", details={"command": args[0], "error": str(error)}) from error


def _answer(output: Output, command: str, accept: Sequence[int], allow_partial: bool) -> GitOutput:
    text = output.stdout.decode("utf-8", "replace")
    if output.ended == "size":
        if allow_partial:
            return GitOutput(text, 0, partial=True)
        raise GitTooMuch(f"git {command} printed more than was allowed.", details={"command": command})
    if output.ended == "time":
        raise GitFailed(f"git {command} took too long.", details={"command": command, "timed_out": True})
    if output.code not in accept:
        said = output.stderr.decode("utf-8", "replace").strip()[-500:]
        raise GitFailed(f"git {command} failed.", details={"command": command, "code": output.code, "stderr": said})
    return GitOutput(text, output.code)

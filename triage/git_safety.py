"""How git is kept from running what a repository asks it to run (pure).

A repository's own configuration can name programs for a mere look: file monitors, hooks, filters, external diffs,
text conversions, pagers, signers, credential helpers, transports. Every call therefore gets a fixed environment, fixed
overrides, and one blank override for each key of the repository that names a program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

# Settings with one name each. They outrank the repository's, being handed over by the environment.
FIXED: Mapping[str, str] = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.editor": "false",
    "core.sshCommand": "ssh -oBatchMode=yes",
    "core.alternateRefsCommand": "false",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    "credential.helper": "",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "push.gpgSign": "false",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "log.showSignature": "false",
    "merge.verifySignatures": "false",
    "diff.external": "",
    "diff.submodule": "short",
    "diff.ignoreSubmodules": "all",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "push.recurseSubmodules": "no",
    "protocol.ext.allow": "never",
    "protocol.file.allow": "user",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "advice.detachedHead": "false",
}

# Keys that name a program under a name of the repository's choosing; each one found is blanked.
_PROGRAMS = re.compile(
    r"(?:filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|merge\..*\.driver|trailer\..*\.(?:command|cmd)"
    r"|pager\..*|credential\..*\.helper|remote\..*\.(?:uploadpack|receivepack|vcs)|hook\..*\.command|tar\..*\.command"
    r"|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|interactive\.difffilter|core\.(?:askpass|gitproxy)|sequence\.editor)",
    re.IGNORECASE | re.DOTALL,
)
_REQUIRED = re.compile(r"filter\..*\.required", re.IGNORECASE | re.DOTALL)
_SUBMODULE = re.compile(r"submodule\.(.+)\.[a-z]+", re.IGNORECASE | re.DOTALL)

# Keys that move the working tree, or a push, to a place that the caller did not name.
_ELSEWHERE = re.compile(r"core\.worktree|url\..*\.(?:insteadof|pushinsteadof)", re.IGNORECASE | re.DOTALL)

_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv")
_NO_SUBMODULES = ("--ignore-submodules=all",)
_FLAGS: Mapping[str, Sequence[str]] = {
    "diff": (*_NO_PROGRAMS, *_NO_SUBMODULES),
    "diff-files": (*_NO_PROGRAMS, *_NO_SUBMODULES),
    "diff-index": (*_NO_PROGRAMS, *_NO_SUBMODULES),
    "diff-tree": _NO_PROGRAMS,
    "log": _NO_PROGRAMS,
    "show": _NO_PROGRAMS,
    "format-patch": _NO_PROGRAMS,
    "status": _NO_SUBMODULES,
    "blame": ("--no-textconv",),
    "grep": ("--no-textconv",),
}


def environment(path: str, ceiling: str, protocols: Sequence[str]) -> dict[str, str]:
    """The whole environment of a call: nothing of ours but PATH.

    `ceiling` is the directory above the repository, so that git never finds another one further up. `protocols` are
    the only transports allowed; with none, git cannot reach out, not even to fill in missing objects.
    """
    return {
        "PATH": path,
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_PAGER": "cat",
        "GIT_EDITOR": "false",
        "GIT_SEQUENCE_EDITOR": "false",
        "GIT_ALLOW_PROTOCOL": ":".join(protocols),
        "GIT_CEILING_DIRECTORIES": ceiling,
    }


def overrides(repository_keys: Iterable[str]) -> list[tuple[str, str]]:
    """The fixed settings and a blank for each key of the repository that names a program."""
    settings = list(FIXED.items())
    for key in repository_keys:
        submodule = _SUBMODULE.fullmatch(key)
        if submodule is not None:
            settings.append((f"submodule.{submodule[1]}.ignore", "all"))
            settings.append((f"submodule.{submodule[1]}.update", "none"))
        elif _PROGRAMS.fullmatch(key) is not None and key.casefold() not in _FIXED_KEYS:
            settings.append((key, ""))
        elif _REQUIRED.fullmatch(key) is not None:
            settings.append((key, "false"))
    return list(dict(settings).items())


def misleading(repository_keys: Iterable[str]) -> tuple[str, ...]:
    """Keys with which a repository is refused, because no override undoes them."""
    return tuple(sorted({key for key in repository_keys if _ELSEWHERE.fullmatch(key) is not None}))


def as_environment(settings: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Settings in the form that survives any character in a key and shows in no process list."""
    numbered = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        numbered[f"GIT_CONFIG_KEY_{number}"] = key
        numbered[f"GIT_CONFIG_VALUE_{number}"] = value
    return numbered


def flags(command: str) -> Sequence[str]:
    """The options that keep a command from running programs, to go right after its name."""
    return _FLAGS.get(command, ())


_FIXED_KEYS = frozenset(key.casefold() for key in FIXED)

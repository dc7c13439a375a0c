from __future__ import annotations

import pytest

from triage.git_safety import FIXED, as_environment, environment, flags, misleading, overrides


@pytest.mark.parametrize(
    "key",
    [
        "filter.x.clean", "filter.a.b.smudge", "filter.x.process", "diff.x.command", "diff.x.textconv",
        "merge.x.driver", "trailer.x.command", "trailer.x.cmd", "pager.log", "credential.https://example.org.helper",
        "remote.origin.uploadpack", "remote.origin.receivepack", "hook.x.command", "tar.x.command", "gpg.x.program",
        "gpg.ssh.defaultkeycommand", "core.askpass", "core.gitproxy", "FILTER.x.CLEAN", "filter.a=b.clean",
        "filter.a\nb.clean",
    ],
)  # fmt: skip
def test_keys_that_name_programs_are_blanked(key: str) -> None:
    assert (key, "") in overrides([key])


def test_required_filters_and_submodules() -> None:
    settings = dict(overrides(["filter.x.required", "submodule.lib/x.url"]))
    assert settings["filter.x.required"] == "false"
    assert settings["submodule.lib/x.ignore"] == "all"
    assert settings["submodule.lib/x.update"] == "none"


@pytest.mark.parametrize("key", ["user.name", "branch.main.merge", "remote.origin.url", "gpg.format", "core.bare"])
def test_ordinary_keys_are_left_alone(key: str) -> None:
    assert overrides([key]) == list(FIXED.items())


def test_a_fixed_setting_is_not_blanked_by_the_repositorys_spelling() -> None:
    assert dict(overrides(["gpg.program", "core.fsmonitor"])) == dict(FIXED)


@pytest.mark.parametrize("key", ["core.worktree", "url.ext::sh.insteadof", "url.x.pushInsteadOf", "CORE.WORKTREE"])
def test_keys_that_lead_elsewhere_are_named(key: str) -> None:
    assert misleading(["user.name", key]) == (key,)


def test_settings_travel_in_the_environment() -> None:
    assert as_environment([("a.b", "c"), ("d.e=f.g", "")]) == {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "a.b",
        "GIT_CONFIG_VALUE_0": "c",
        "GIT_CONFIG_KEY_1": "d.e=f.g",
        "GIT_CONFIG_VALUE_1": "",
    }


def test_nothing_reaches_out_unless_it_is_named() -> None:
    assert environment("/bin", "/", ())["GIT_ALLOW_PROTOCOL"] == ""
    assert environment("/bin", "/", ("https", "file"))["GIT_ALLOW_PROTOCOL"] == "https:file"


@pytest.mark.parametrize("command", ["diff", "log", "show", "diff-tree", "diff-index", "format-patch"])
def test_what_shows_changes_runs_no_conversion(command: str) -> None:
    assert {"--no-ext-diff", "--no-textconv"} <= set(flags(command))

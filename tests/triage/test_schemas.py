from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from triage.schemas import DaemonConfig, Report, ThreadMessage


def test_the_defaults_are_the_careful_ones() -> None:
    config = DaemonConfig()
    assert (config.active, config.reporting_mode, config.dry_run, config.auto_fix) == (True, "consent", True, False)
    assert (config.max_prs_per_hour, config.dirty_tree_policy, config.concurrency) == (5, "abort", 4)
    assert config.filter == {"entity_types": ["issue"]}


def test_a_released_kind_is_live_and_a_held_kind_is_not_fixed_by_itself() -> None:
    config = DaemonConfig(auto_fix=True, released_kinds=("bug",), held_kinds=("performance",))
    assert (config.dry_run_for("bug"), config.dry_run_for("question")) == (False, True)
    assert (config.auto_fix_for("bug"), config.auto_fix_for("performance")) == (True, False)
    assert not DaemonConfig(dry_run=False).dry_run_for("question")


@pytest.mark.parametrize(
    "fields", [{"active": "perhaps"}, {"concurrency": 0}, {"reporting_mode": "on"}, {"unknown": 1}]
)
def test_what_is_unknown_or_out_of_bounds_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        DaemonConfig.model_validate(fields)


def test_words_never_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        DaemonConfig().__setattr__("active", False)


def test_the_texts_of_a_thread_are_told_apart() -> None:
    voices: dict[Any, str] = {"reporter": "mine", "agent": "other", "maintainer": "ours", "daemon": "own"}
    messages = tuple(ThreadMessage(author_kind=kind, body=body) for kind, body in voices.items())
    report = Report(title="a", body="b", labels=("l",), messages=messages)
    assert report.reporter_text == "a\nb\nmine"
    assert report.untrusted_text == "a\nb\nl\nmine\nother"

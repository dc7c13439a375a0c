"""What the command line understands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from neotoma.operations.cli.parser import ISSUES, build
from neotoma.operations.registry import operations
from tests.support.toys import toys


def test_every_operation_is_a_verb_with_its_parameters() -> None:
    for op in operations().values():
        flags = [f"--{name.replace('_', '-')}" for name in op.params.model_fields]
        options = build([op]).parse_args([op.name, *(part for flag in flags for part in (flag, "x"))])
        assert options.operation == op.name
        assert all(getattr(options, f"arg_{name}") == ["x"] for name in op.params.model_fields)


def test_issues_have_short_verbs_and_a_bare_issue() -> None:
    with toys() as known:
        message = replace(known["remark_toy"], name="add_issue_message")
        options = build([message]).parse_args(["issues", "message", "12", "--body", "still there"])
    assert (options.operation, options.issue, options.arg_body) == ("add_issue_message", "12", ["still there"])
    assert list(ISSUES) == ["create", "message", "status", "list", "close", "sync"]


def test_help_has_descriptions_and_choices(capsys: pytest.CaptureFixture[str]) -> None:
    with toys() as known, pytest.raises(SystemExit):
        build(known.values()).parse_args(["find_toys", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "Find toys by tag and size." in text and "One of asc, desc." in text and "Repeat it for more." in text

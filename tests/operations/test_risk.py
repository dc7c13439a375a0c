"""The rules of risk."""

from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations import risk

WRITE: dict[str, Any] = {"effect": "write", "additive": False, "restorable": False, "crosses": False, "undo": ""}


@pytest.mark.parametrize(
    ("given", "level"),
    [
        ({"effect": "read"}, "low"),
        ({"effect": "read", "crosses": True}, "low"),
        ({"additive": True, "undo": "remove"}, "low"),
        ({"additive": True}, "high"),
        ({"additive": True, "restorable": True}, "mid"),
        ({"undo": "restore"}, "mid"),
        ({"restorable": True}, "mid"),
        ({}, "high"),
        ({"additive": True, "undo": "remove", "crosses": True}, "high"),
    ],
)
def test_required(given: dict[str, Any], level: str) -> None:
    assert risk.required(**{**WRITE, **given}) == level


def test_deleting_a_golden_record_is_high_and_setting_a_policy_mid() -> None:
    delete_golden = risk.required(**WRITE)
    set_policy = risk.required(**{**WRITE, "undo": "set_policy"})
    assert (delete_golden, set_policy) == ("high", "mid")

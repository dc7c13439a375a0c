"""The checker finds each fault: in made-up logs and rows, and in builds with a promise switched off."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults.checker import faults
from tests.faults.clientlog import Attempt, append, read
from tests.faults.steps import drained, submitted
from tests.faults.stored import PARTS, Delivery, Event, Issue, Stored, Subscription
from tests.faults.stored import read as read_database

ACCEPTED = Attempt("k1", 201, 0.1, 1, "ent_1")
GOOD = Stored(
    issues=[Issue("ent_1", 1, "load k1")],
    parts={"ent_1": Counter(dict.fromkeys(PARTS, 1))},
    remembered=[("k1", "ent_1")],
    numbers=[1],
    events=[Event(7, "entity.created", "issue", "ent_1"), Event(8, "observation.created", "issue", "ent_1")],
    subscriptions=[Subscription("sub", 0, frozenset({"entity.created"}), frozenset())],
    deliveries=[Delivery("dlv_1", "sub", 7, "delivered")],
    cases={"ent_1"},
    dead=[],
)


def _kinds(attempts: list[Attempt], changes: dict[str, Any], received: list[str]) -> set[str]:
    return {fault.kind for fault in faults(attempts, dataclasses.replace(GOOD, **changes), received)}


def test_nothing_is_wrong_with_what_is_right() -> None:
    waited = Attempt("k1", 503, 5.0, retry_after="1")
    unanswered = Attempt("k1", 0, 0.1)
    assert _kinds([unanswered, waited, ACCEPTED, ACCEPTED], {}, ["dlv_1"]) == set()


TWICE = [Issue("ent_1", 1, "load k1"), Issue("ent_2", 2, "load k1")]
BOTH = {"ent_1": GOOD.parts["ent_1"], "ent_2": GOOD.parts["ent_1"]}


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("lost", {"issues": [], "parts": {}, "remembered": [], "numbers": []}),
        ("lost", {"issues": [Issue("ent_1", 1, "load k9")]}),
        ("duplicate", {"issues": TWICE, "parts": BOTH, "numbers": [1, 2], "cases": {"ent_1", "ent_2"}}),
        ("duplicate", {"remembered": [("k1", "ent_1"), ("k1", "ent_2")], "parts": BOTH}),
        ("half made", {"parts": {**GOOD.parts, "ent_2": Counter({"issue entity": 1})}}),
        ("half made", {"parts": {"ent_1": Counter({**GOOD.parts["ent_1"], "grant": 0})}}),
        ("half made", {"parts": {"ent_1": Counter({**GOOD.parts["ent_1"], "conversation": 2})}}),
        ("half made", {"numbers": [1, 2]}),
        ("half made", {"remembered": [("k1", "ent_1"), ("k2", "ent_2")]}),
        ("unseen", {"deliveries": []}),
        ("unseen", {"cases": set()}),
        ("dead", {"dead": [("triage.intake", 7)]}),
        ("not sent", {"deliveries": [Delivery("dlv_1", "sub", 7, "pending")]}),
        ("not heard", {"deliveries": [Delivery("dlv_2", "sub", 7, "delivered")]}),
    ],
)
def test_each_fault_in_the_database_is_found(kind: str, changes: dict[str, Any]) -> None:
    assert _kinds([ACCEPTED], changes, ["dlv_1"]) == {kind}


@pytest.mark.parametrize(
    ("kind", "attempts", "received"),
    [
        ("wrong answer", [Attempt("k1", 500, 0.1), ACCEPTED], ["dlv_1"]),
        ("wrong answer", [Attempt("k1", 503, 0.1), ACCEPTED], ["dlv_1"]),
        ("wrong answer", [Attempt("k1", 404, 0.1), ACCEPTED], ["dlv_1"]),
        ("duplicate", [ACCEPTED, dataclasses.replace(ACCEPTED, entity_id="ent_2", number=2)], ["dlv_1"]),
        ("sent twice", [ACCEPTED], ["dlv_1", "dlv_1"]),
    ],
)
def test_each_fault_outside_is_found(kind: str, attempts: list[Attempt], received: list[str]) -> None:
    assert kind in _kinds(attempts, {}, received)


def test_a_line_that_was_cut_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "client.log"
    with path.open("w", encoding="utf-8") as file:
        append(file, ACCEPTED)
        file.write('{"key": "k2", "sta')
    assert read([path]) == [ACCEPTED]


def _found(url: str, sabotages: list[str], moment: str) -> set[str]:
    """Kinds of faults after a submission that is tried twice, with a worker that starts anew after it."""
    drained(*sabotages)
    attempts = [submitted("first-key", *sabotages, moment), submitted("first-key", *sabotages)]
    drained(*sabotages)
    return {fault.kind for fault in faults(attempts, read_database(url))}


def test_the_sound_build_passes(committed: str) -> None:
    assert _found(committed, [], "die_after_commit") == set()


@pytest.mark.parametrize(
    ("sabotage", "moment", "kind"),
    [
        ("no_transaction", "die_after_key", "half made"),
        ("no_key", "die_after_commit", "duplicate"),
        ("no_offset", "die_after_commit", "unseen"),
    ],
)
def test_a_build_without_one_of_its_promises_fails(committed: str, sabotage: str, moment: str, kind: str) -> None:
    assert kind in _found(committed, [sabotage], moment)

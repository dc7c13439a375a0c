from __future__ import annotations

from typing import Any

import pytest

from triage.classification import classify
from triage.schemas import Classification, Report


def kind_of(title: str, body: str = "", **fields: Any) -> Classification:
    return classify(Report(title=title, body=body, **fields)).classification


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("store drops a declared field", "Expected lent_out, got nothing.", "bug"),
        ("Traceback on start", "Traceback (most recent call last):\nValueError: x", "bug"),
        ("Test suite fails on Python 3.12", "Three tests fail.", "bug"),
        ("Retrieve is slow", "retrieve_entities takes 12 seconds; p95 was 80 ms.", "performance"),
        ("Memory grows", "A memory leak: throughput falls by the hour", "performance"),
        ("Support for tags", "It would be nice to filter by tag. Please add it.", "enhancement"),
        ("How do I register a type?", "I am not sure whether I need a schema.", "question"),
        ("SQL injection in the filter", "A crafted filter reads any table.", "security"),
        ("Test issue, please ignore", "", "test"),
        ("test", "hello", "test"),
        ("[TEST] ignore", "", "test"),
        ("Smoke test submission 12", "", "test"),
        ("Something about widgets", "They are there.", "bug"),
    ],
)
def test_text_alone(title: str, body: str, expected: Classification) -> None:
    assert kind_of(title, body) == expected


@pytest.mark.parametrize("kind", ["bug", "performance", "enhancement", "question", "security"])
def test_the_reporters_word_decides_plain_text(kind: Any) -> None:
    assert kind_of("About widgets", "The widget panel.", kind=kind) == kind


def test_one_stray_word_does_not_overrule_the_reporter() -> None:
    assert kind_of("Errors in a list", "An error list would be nice.", kind="enhancement") == "enhancement"


@pytest.mark.parametrize("kind", ["bug", "performance", "enhancement", "question"])
def test_a_hole_is_security_whatever_it_calls_itself(kind: Any) -> None:
    body = "Anyone can read another user's thread without authentication; a path traversal in the name does it."
    assert kind_of("Thread shown", body, kind=kind) == "security"


def test_a_hole_in_a_test_report_is_still_a_hole() -> None:
    assert kind_of("Test issue", "SQL injection and XSS in search.", labels=("test",)) == "security"


@pytest.mark.parametrize("body", ["This is not a vulnerability.", "It has no xss.", "The security page has a typo."])
def test_denied_or_passing_words_are_not_a_hole(body: str) -> None:
    assert kind_of("Wrong colour", body, kind="bug") == "bug"


@pytest.mark.parametrize("label", ["test", "test-flow", "Test-Cleanup", " live-issues-tooling "])
def test_labels_of_test_reports(label: str) -> None:
    assert kind_of("Store fails", "It crashed.", kind="bug", labels=(label,)) == "test"


def test_labels_add_up() -> None:
    assert kind_of("About widgets", "", labels=("perf",)) == "performance"


def test_evidence_holds_the_words_that_decided() -> None:
    finding = classify(Report(title="Retrieve is slow", body="takes 12 seconds", kind="performance"))
    assert finding.evidence == ("kind: performance", "title: slow", "text: takes 12 seconds")
    assert finding.confidence > 0.7


def test_more_evidence_means_more_confidence_and_none_means_little() -> None:
    none = classify(Report(title="Widgets", body="They are there."))
    some = classify(Report(title="Widgets crash", body="Steps to reproduce: see traceback", kind="bug"))
    assert none.confidence == 0.3
    assert none.evidence == ()
    assert some.confidence > 0.8

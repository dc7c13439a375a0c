from __future__ import annotations

from typing import Any

import pytest

from neotoma.markdown import render
from triage.facts import RepositoryFacts, ShaFact
from triage.questions import missing_details, questions_text
from triage.schemas import ClassificationFinding, EnvironmentFinding, MissingDetail, Report
from triage.terms import search_terms

RELEASE = EnvironmentFinding(kind="public_release")
UNKNOWN = EnvironmentFinding(kind="unknown", evidence=("no tag exists for the version",))
AVAILABLE = RepositoryFacts(available=True)
TALE = "When we call the operation on Monday, the widget shows nothing instead of the panel."


def asked(
    body: str = TALE,
    kind: Any = "bug",
    environment: EnvironmentFinding = RELEASE,
    facts: RepositoryFacts = AVAILABLE,
    title: str = "Panel gone",
    **fields: Any,
) -> list[str]:
    report = Report(title=title, body=body, **{"reporter_app_version": "1.0.0", **fields})
    finding = ClassificationFinding(classification=kind, confidence=0.8)
    return [item.field for item in missing_details(report, finding, environment, facts, search_terms(report))]


def test_a_complete_report_is_asked_nothing() -> None:
    assert asked() == []


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"reporter_app_version": None}, ["reporter_git_sha"]),
        ({"environment": UNKNOWN}, ["reporter_git_sha"]),
        ({"environment": EnvironmentFinding(kind="local_commit", conflicts=("a: b",))}, ["reporter_git_sha"]),
        ({"environment": UNKNOWN, "facts": RepositoryFacts()}, []),
        (
            {"environment": UNKNOWN, "facts": RepositoryFacts(available=True, sha=ShaFact(known=False))},
            ["reporter_git_sha", "reporter_patch_source_id"],
        ),
        (
            {
                "environment": UNKNOWN,
                "facts": RepositoryFacts(available=True, sha=ShaFact(known=False)),
                "reporter_patch_source_id": "src_1",
            },
            ["reporter_git_sha"],
        ),
        (
            {"environment": UNKNOWN, "facts": RepositoryFacts(available=True, refused=("reporter_git_ref",))},
            ["reporter_git_ref"],
        ),
    ],
)
def test_the_build(changes: dict[str, Any], fields: list[str]) -> None:
    assert asked(**changes) == fields


def test_a_bug_needs_a_course_of_events_or_code() -> None:
    assert asked("The widget panel behaves badly on this machine today, sadly.") == ["steps", "expected"]
    assert asked("The widget panel behaves badly: `render_panel` on this machine today.") == []
    assert asked("ValueError: bad thing\n  at draw (panel.js:1:2)", title="x") == []


def test_a_slowness_needs_a_figure() -> None:
    assert asked("The widget panel draws slowly on this machine every day.", "performance") == ["measurement"]
    assert asked("The widget panel takes 12 s to draw 300 rows on this machine.", "performance") == []


@pytest.mark.parametrize("kind", ["bug", "enhancement", "question", "performance", "security"])
def test_next_to_nothing_is_asked_about(kind: Any) -> None:
    assert "description" in asked("hm", kind, title="x")


def test_the_text_asks_for_everything_at_once_in_our_words() -> None:
    items = [
        MissingDetail(field="steps", question="Which?", reason="none"),
        MissingDetail(field="b", question="C?", reason="d"),
    ]
    text = questions_text(items)
    assert "1. steps: Which? (none)\n2. b: C? (d)" in text
    assert render(text).rstrip().endswith("</ol>\n<p>Answer on this thread; work resumes by itself.</p>")
    assert questions_text([]) == ""

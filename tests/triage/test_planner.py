from __future__ import annotations

from typing import Any

import pytest

from triage.facts import FileHit, RepositoryFacts, SearchFacts
from triage.findings import Findings
from triage.planner import draft_plan, plan_kind
from triage.schemas import (
    ClassificationFinding,
    ClusterEvidence,
    EnvironmentFinding,
    PlanDraft,
    Report,
    SuspectedFile,
    Verdict,
)

SHA = "a" * 40
RELEASE = EnvironmentFinding(kind="public_release", sha=SHA)
COMMIT = EnvironmentFinding(kind="local_commit", sha=SHA)
OPEN = Verdict(kind="open")
SECRET = "Our customer Initech lost 500 rows"


def draft(classification: Any = "bug", **changes: Any) -> PlanDraft:
    fields: dict[str, Any] = {
        "report": Report(title="Storing drops a field", body=SECRET, visibility="public"),
        "classification": ClassificationFinding(classification=classification, confidence=0.8),
        "environment": RELEASE,
        "verdict": OPEN,
        "cluster": (),
        "suspected": (SuspectedFile(path="shelf/store.py", score=6),),
        "missing": (),
        "suspicions": (),
        "facts": RepositoryFacts(available=True, default_branch="main"),
        "search": SearchFacts(test_files=("tests/test_store.py",), has_changelog=True),
    }
    return draft_plan(Findings(**{**fields, **changes}))


@pytest.mark.parametrize(
    ("classification", "environment", "verdict", "kind"),
    [
        ("bug", RELEASE, OPEN, "fix"),
        ("performance", RELEASE, OPEN, "optimise"),
        ("bug", COMMIT, OPEN, "reproduce"),
        ("performance", EnvironmentFinding(kind="local_branch"), OPEN, "reproduce"),
        ("bug", RELEASE, Verdict(kind="already_fixed_in", fixed_in="v2"), "verify"),
        ("enhancement", COMMIT, OPEN, "proposal"),
        ("question", RELEASE, OPEN, "answer"),
        ("test", RELEASE, OPEN, "cleanup"),
        ("security", RELEASE, Verdict(kind="already_fixed_in", fixed_in="v2"), "advisory"),
    ],
)
def test_the_kind_of_plan(classification: Any, environment: Any, verdict: Any, kind: str) -> None:
    assert plan_kind(classification, environment, verdict) == kind
    assert draft(classification, environment=environment, verdict=verdict).kind == kind


def test_a_fix_names_its_files_its_tests_and_its_base() -> None:
    plan = draft()
    assert plan.files_suspected == ("shelf/store.py",)
    assert plan.files_expected == ("tests/test_store.py", "CHANGELOG.md")
    assert (plan.base, plan.risk, plan.private, plan.status) == ("main", "low", False, "proposed")
    assert plan.confidence == 0.8


def test_without_a_test_the_conventional_new_one_is_expected() -> None:
    assert draft(search=SearchFacts()).files_expected == ("tests/test_store.py",)
    other = SearchFacts(test_files=("tests/unit/test_store.py",))
    assert draft(search=other).files_expected == ("tests/unit/test_store.py",)


def test_performance_is_judged_by_a_measurement() -> None:
    plan = draft("performance")
    assert plan.measurement is not None
    assert any(plan.measurement in step for step in plan.steps)
    assert draft("bug").measurement is None


def test_a_local_build_is_looked_at_where_it_is() -> None:
    plan = draft(environment=COMMIT)
    assert plan.base == SHA
    assert "leave the main line alone" in plan.steps[0]
    assert plan.files_expected == ()


def test_a_wish_gathers_its_relatives_and_needs_a_decision() -> None:
    related = (
        ClusterEvidence(entity_id="ent_2", issue_number=7, score=0.9),
        ClusterEvidence(entity_id="ent_3", score=0.6),
    )
    plan = draft("enhancement", cluster=related)
    assert plan.decision_required
    assert plan.steps[0] == "Consider together with #7, ent_3."
    assert plan.related_issues == related
    assert plan.files_suspected == ()


def test_a_question_is_answered_from_the_documents_or_handed_off() -> None:
    hits = (
        FileHit(path="README.md", term="find", how="text", lines=(3, 4)),
        FileHit(path="README.md", term="title", how="text", lines=(4,)),
        FileHit(path="other.md", term="find", how="text", lines=(1,)),
    )
    answered = draft("question", search=SearchFacts(hits=hits))
    assert answered.answer == "The documents speak of it here: README.md, lines 3, 4."
    assert not answered.decision_required
    handed = draft("question")
    assert (handed.answer, handed.decision_required) == (None, True)


def test_an_advisory_is_private_even_for_a_public_issue() -> None:
    plan = draft("security")
    assert plan.private
    assert plan.decision_required
    assert plan.risk == "high"


def test_a_landing_closes_the_whole_cluster() -> None:
    plan = draft(cluster=(ClusterEvidence(entity_id="ent_2", score=0.9),))
    assert "close the 1 related issues" in plan.steps[-1]


def test_confidence_is_its_weakest_link() -> None:
    assert draft(suspected=()).confidence == 0.2
    assert draft(environment=EnvironmentFinding(kind="unknown")).confidence == 0.3


def test_sensitive_files_raise_the_risk() -> None:
    assert draft(suspected=(SuspectedFile(path="app/auth/x.py", score=5),)).risk == "high"
    assert draft(suspected=tuple(SuspectedFile(path=f"a/{n}.py", score=5) for n in range(3))).risk == "medium"


@pytest.mark.parametrize("kind", ["bug", "performance", "enhancement", "question", "security", "test"])
def test_no_sentence_of_the_report_is_repeated(kind: Any) -> None:
    assert "Initech" not in draft(kind).model_dump_json()


def test_a_plan_that_misses_something_waits() -> None:
    missing = ({"field": "steps", "question": "?", "reason": "r"},)
    assert draft(missing=missing).status == "awaiting_input"

"""The built-in planner (pure): a plan from findings and search facts, without any model."""

from __future__ import annotations

from collections.abc import Sequence

from triage.facts import SearchFacts
from triage.findings import Findings
from triage.schemas import (
    Classification,
    ClusterEvidence,
    EnvironmentFinding,
    PlanDraft,
    PlanKind,
    Risk,
    Verdict,
)
from triage.sensitivity import rules_for, stem_under_test
from triage.steps import answer, measurement, steps_for


def draft_plan(found: Findings) -> PlanDraft:
    """The plan without its gates."""
    kind = plan_kind(found.classification.classification, found.environment, found.verdict)
    files = tuple(item.path for item in found.suspected) if kind in ("fix", "optimise", "reproduce", "advisory") else ()
    reply = answer(found.search) if kind == "answer" else None
    return PlanDraft(
        kind=kind,
        classification=found.classification.classification,
        title=_title(kind, files, found.cluster),
        steps=steps_for(kind, found),
        files_suspected=files,
        files_expected=_expected(files, found.search) if kind in ("fix", "optimise") else (),
        environment=found.environment,
        verdict=found.verdict,
        risk=_risk(kind, files),
        confidence=_confidence(kind, found, reply),
        related_issues=found.cluster,
        missing=found.missing,
        suspicions=found.suspicions,
        base=_base(kind, found),
        measurement=measurement(found) if kind == "optimise" else None,
        answer=reply,
        decision_required=kind in ("proposal", "advisory") or (kind == "answer" and reply is None),
        private=found.report.visibility != "public" or kind == "advisory",
    )


def plan_kind(classification: Classification, environment: EnvironmentFinding, verdict: Verdict) -> PlanKind:
    """Security before everything; a fault that is fixed or local is not fixed again on the main line."""
    plain: dict[Classification, PlanKind] = {
        "security": "advisory", "enhancement": "proposal", "question": "answer", "test": "cleanup",
    }  # fmt: skip
    if classification in plain:
        return plain[classification]
    if verdict.kind == "already_fixed_in":
        return "verify"
    if environment.kind in ("local_commit", "local_branch"):
        return "reproduce"
    return "optimise" if classification == "performance" else "fix"


def _expected(files: Sequence[str], search: SearchFacts) -> tuple[str, ...]:
    """Tests of the suspected files, those that exist or else the conventional new one, and the changelog."""
    expected: list[str] = []
    for path in files:
        stem = path.rsplit("/", 1)[-1].split(".")[0]
        own = [test for test in search.test_files if stem_under_test(test) == stem]
        expected += own or [f"tests/test_{stem}.py"]
    if search.has_changelog:
        expected.append("CHANGELOG.md")
    return tuple(dict.fromkeys(expected))


def _title(kind: PlanKind, files: Sequence[str], cluster: Sequence[ClusterEvidence]) -> str:
    where = f" in {files[0]}" if files else ""
    more = f", with {len(cluster)} related" if cluster else ""
    return f"{kind.capitalize()}{where}{more}"


def _risk(kind: PlanKind, files: Sequence[str]) -> Risk:
    if kind in ("advisory", "proposal") or any(rules_for(path) for path in files):
        return "high"
    if kind in ("answer", "cleanup", "verify", "reproduce"):
        return "low"
    return "low" if 0 < len(files) <= 2 else "medium"


def _confidence(kind: PlanKind, found: Findings, reply: str | None) -> float:
    """The weakest link: what it is, where it runs, where it is."""
    links = [found.classification.confidence]
    if kind in ("fix", "optimise", "reproduce"):
        links.append(0.9 if found.environment.kind != "unknown" and not found.environment.conflicts else 0.3)
        links.append(min(0.9, 0.4 + found.suspected[0].score / 12) if found.suspected else 0.2)
    if kind == "answer":
        links.append(0.7 if reply else 0.3)
    return round(min(links), 2)


def _base(kind: PlanKind, found: Findings) -> str | None:
    """A release is fixed on the default branch; a local build is looked at where it is."""
    return found.environment.sha if kind == "reproduce" else found.facts.default_branch

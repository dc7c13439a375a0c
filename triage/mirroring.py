"""Whether an issue deserves public tracking (pure); the reason is recorded with the decision."""

from __future__ import annotations

from collections.abc import Sequence

from triage.schemas import Classification, ClusterEvidence, MirrorDecision, Report, Suspicion, Verdict

SAME_PROBLEM = 0.8


def mirror_decision(
    report: Report,
    classification: Classification,
    verdict: Verdict,
    cluster: Sequence[ClusterEvidence],
    suspicions: Sequence[Suspicion],
) -> MirrorDecision:
    """Public tracking is for open public problems that others can help with or wait for."""
    refusal = _refusal(report, classification, verdict, suspicions)
    if refusal:
        return MirrorDecision(wanted=False, reason=refusal)
    twin = next((other for other in cluster if other.score >= SAME_PROBLEM), None)
    if twin is not None:
        return MirrorDecision(wanted=False, reason=f"tracked with {twin.entity_id}, which is the same problem")
    return MirrorDecision(wanted=True, reason=f"an open public {classification} that others can follow")


def _refusal(
    report: Report, classification: Classification, verdict: Verdict, suspicions: Sequence[Suspicion]
) -> str | None:
    if report.visibility != "public":
        return "the issue is private"
    if classification == "security":
        return "nothing about a security report is public before a person says so"
    if classification in ("test", "question"):
        return f"a {classification} report needs no public tracking"
    if suspicions:
        return "the text gives orders; a person looks first"
    return "a later build has the fix" if verdict.kind == "already_fixed_in" else None

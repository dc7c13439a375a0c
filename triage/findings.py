"""Everything that a plan is made of, in one word (pure)."""

from __future__ import annotations

from triage.facts import RepositoryFacts, SearchFacts
from triage.schemas import (
    ClassificationFinding,
    ClusterEvidence,
    EnvironmentFinding,
    MissingDetail,
    Report,
    SuspectedFile,
    Suspicion,
    Verdict,
    Word,
)


class Findings(Word):
    """`suspected` is best first; `missing` and `suspicions` are empty when nothing holds the report up."""

    report: Report
    classification: ClassificationFinding
    environment: EnvironmentFinding
    verdict: Verdict
    cluster: tuple[ClusterEvidence, ...]
    suspected: tuple[SuspectedFile, ...]
    missing: tuple[MissingDetail, ...]
    suspicions: tuple[Suspicion, ...]
    facts: RepositoryFacts
    search: SearchFacts

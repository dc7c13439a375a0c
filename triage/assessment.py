"""The whole decision on one report (pure): every finding in order, the plan, its gates."""

from __future__ import annotations

from collections.abc import Sequence

from triage.classification import classify
from triage.clusters import cluster
from triage.environment import classify_environment
from triage.facts import RepositoryFacts, Reproduction, SearchFacts
from triage.findings import Findings
from triage.gates import gate_plan, is_safe
from triage.mirroring import mirror_decision
from triage.planner import draft_plan
from triage.questions import missing_details
from triage.schemas import Assessment, Report
from triage.suspects import suspect
from triage.suspicion import suspicions
from triage.terms import search_terms
from triage.verdict import judge


def assess(
    report: Report,
    candidates: Sequence[Report],
    facts: RepositoryFacts,
    search: SearchFacts,
    reproduction: Reproduction | None = None,
) -> Assessment:
    """Findings and a gated plan for `report`; `candidates` are the other open issues."""
    terms, suspected = search_terms(report), suspect(search)
    classification = classify(report)
    environment = classify_environment(report, facts)
    paths = tuple(file.path for file in suspected)
    verdict = judge(report, classification, environment, facts, search, terms, paths, reproduction)
    related = cluster(report, candidates)
    orders = suspicions(report)
    findings = Findings(
        report=report,
        classification=classification,
        environment=environment,
        verdict=verdict,
        cluster=related,
        suspected=suspected,
        missing=missing_details(report, classification, environment, facts, terms),
        suspicions=orders,
        facts=facts,
        search=search,
    )
    draft = draft_plan(findings)
    plan = draft.model_copy(update={"gates": gate_plan(draft, report)})
    mirror = mirror_decision(report, classification.classification, verdict, related, orders)
    return Assessment(
        classification=classification,
        environment=environment,
        verdict=verdict,
        cluster=related,
        mirror=mirror,
        plan=plan,
        safe=is_safe(plan.gates),
    )

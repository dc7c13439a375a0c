from __future__ import annotations

from typing import Any

import pytest

from triage.mirroring import mirror_decision
from triage.schemas import ClusterEvidence, MirrorDecision, Report, Suspicion, Verdict


def decide(classification: Any = "bug", visibility: Any = "public", **changes: Any) -> MirrorDecision:
    fields: dict[str, Any] = {"verdict": Verdict(kind="open"), "cluster": (), "suspicions": (), **changes}
    return mirror_decision(Report(title="a", body="b", visibility=visibility), classification, **fields)


@pytest.mark.parametrize("classification", ["bug", "performance", "enhancement"])
def test_open_public_problems_are_tracked_in_public(classification: Any) -> None:
    assert decide(classification).wanted


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"visibility": "private"}, "private"),
        ({"classification": "security"}, "security"),
        ({"classification": "test"}, "test"),
        ({"classification": "question"}, "question"),
        ({"suspicions": (Suspicion(name="n", excerpt="e"),)}, "orders"),
        ({"verdict": Verdict(kind="already_fixed_in", fixed_in="v2")}, "later build"),
        ({"cluster": (ClusterEvidence(entity_id="ent_2", score=0.8),)}, "ent_2"),
    ],
)
def test_the_rest_is_not_and_says_why(changes: dict[str, Any], reason: str) -> None:
    decision = decide(**changes)
    assert not decision.wanted
    assert reason in decision.reason


def test_a_distant_relative_does_not_hide_an_issue() -> None:
    assert decide(cluster=(ClusterEvidence(entity_id="ent_2", score=0.6),)).wanted

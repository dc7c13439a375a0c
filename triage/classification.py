"""What a report is: bug, performance, enhancement, question, security or test (pure).

The reporter's word is a strong prior, labels are another, phrases add to both. Two things outrank the sum: text that
describes a hole is a security report whatever it calls itself, and a report that says it is only a test is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, get_args

from triage.phrases import DENIED, PHRASES, TEST_TITLE
from triage.schemas import Classification, ClassificationFinding, Report
from triage.text import folded

TEST_LABELS = frozenset({"test", "test-flow", "test-cleanup", "live-issues-tooling"})

KIND_WEIGHT = 3.0
LABEL_WEIGHT = 3.0
TITLE_WEIGHT = 2.0
BODY_WEIGHT = 1.0
# Two strong phrases in a body, or one in a title, are enough to overrule the reporter's own word.
SECURITY_BAR = 2.0

_LABELS: dict[str, Classification] = {
    "bug": "bug", "defect": "bug", "regression": "bug", "crash": "bug",
    "performance": "performance", "perf": "performance", "slow": "performance",
    "enhancement": "enhancement", "feature": "enhancement", "feature-request": "enhancement",
    "question": "question", "support": "question", "help wanted": "question", "docs-question": "question",
    "security": "security", "vulnerability": "security", "cve": "security",
}  # fmt: skip


class Vote(NamedTuple):
    classification: Classification
    weight: float
    evidence: str


def classify(report: Report) -> ClassificationFinding:
    """The classification with its confidence and the words that decided, heaviest first."""
    votes = sorted(_votes(report), key=lambda vote: -vote.weight)
    scores = {name: sum(v.weight for v in votes if v.classification == name) for name in get_args(Classification)}
    winner = _winner(report, votes, scores)
    rest = max(score for name, score in scores.items() if name != winner)
    confidence = scores[winner] / (scores[winner] + rest + 1) if scores[winner] else 0.3
    evidence = tuple(vote.evidence for vote in votes if vote.classification == winner)[:8]
    return ClassificationFinding(classification=winner, confidence=round(min(confidence, 0.95), 2), evidence=evidence)


def _winner(report: Report, votes: list[Vote], scores: dict[Classification, float]) -> Classification:
    if report.kind == "security" or _screams_security(votes):
        return "security"
    if scores["test"]:
        return "test"
    # Without any sign a report is a bug: that path asks for the most evidence.
    return max(scores, key=lambda name: (scores[name], name == "bug"))


def _screams_security(votes: list[Vote]) -> bool:
    return sum(vote.weight for vote in votes if vote.classification == "security") >= SECURITY_BAR


def _votes(report: Report) -> Iterator[Vote]:
    if report.kind is not None:
        yield Vote(report.kind, KIND_WEIGHT, f"kind: {report.kind}")
    for label in report.labels:
        plain = label.strip().casefold()
        if plain in TEST_LABELS:
            yield Vote("test", LABEL_WEIGHT, f"label: {plain}")
        elif plain in _LABELS:
            yield Vote(_LABELS[plain], LABEL_WEIGHT, f"label: {plain}")
    title = folded(report.title)
    if TEST_TITLE.fullmatch(title) is not None:
        yield Vote("test", LABEL_WEIGHT, "title says it is only a test")
    yield from _phrase_votes(title, TITLE_WEIGHT, "title")
    yield from _phrase_votes(folded(report.reporter_text[len(report.title) :]), BODY_WEIGHT, "text")


def _phrase_votes(text: str, weight: float, place: str) -> Iterator[Vote]:
    for name, patterns in PHRASES.items():
        for pattern in patterns:
            match = pattern.search(text)
            if match is not None and not DENIED.search(text[max(0, match.start() - 40) : match.start()]):
                yield Vote(name, weight, f"{place}: {match[0].strip()[:60]}")

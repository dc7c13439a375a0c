"""Which open issues are one problem (pure): shared entities, the same error, similar text; with the evidence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from neotoma.submissions.signature import error_signature
from triage.schemas import ClusterEvidence, Report
from triage.text import tokens

MAX_CANDIDATES = 500
MAX_CLUSTER = 25
THRESHOLD = 0.5

SIGNATURE_WEIGHT = 0.8
ENTITY_WEIGHT = 0.6
# Below this cosine two reports share a language, not a problem.
TEXT_FLOOR = 0.2

Vector = Mapping[str, float]


class Reason(NamedTuple):
    weight: float
    text: str


def cluster(report: Report, candidates: Sequence[Report]) -> tuple[ClusterEvidence, ...]:
    """The candidates that are probably the same problem, best first; the report itself is never among them.

    A public report is compared with public ones only: its plan is read by people who may not know of private issues,
    and even the weights of common words would speak of them.
    """
    others = [other for other in candidates if other.entity_id != report.entity_id and _may_show(report, other)]
    others = others[:MAX_CANDIDATES]
    popularity = Counter(link for other in others for link in _links(other))
    vectors = _vectors([report, *others])
    signature = error_signature(report.reporter_text)
    found = []
    for other, vector in zip(others, vectors[1:], strict=True):
        reasons = [
            *_same_entities(report, other, popularity),
            *_same_signature(signature, other),
            *_similar_text(vectors[0], vector),
        ]
        score = 1 - math.prod(1 - reason.weight for reason in reasons)
        if score >= THRESHOLD:
            found.append(_evidence(other, score, reasons))
    return tuple(sorted(found, key=lambda item: (-item.score, item.entity_id))[:MAX_CLUSTER])


def _may_show(report: Report, other: Report) -> bool:
    return report.visibility != "public" or other.visibility == "public"


def _evidence(other: Report, score: float, reasons: Sequence[Reason]) -> ClusterEvidence:
    return ClusterEvidence(
        entity_id=other.entity_id,
        issue_number=other.issue_number,
        score=round(score, 3),
        reasons=tuple(reason.text for reason in reasons),
    )


def _links(report: Report) -> frozenset[str]:
    return frozenset(entity.entity_id for entity in report.linked_entities)


def _same_entities(report: Report, other: Report, popularity: Mapping[str, int]) -> Iterator[Reason]:
    """An entity that every issue links to says little: its weight falls with its popularity."""
    for entity_id in sorted(_links(report) & _links(other))[:10]:
        weight = ENTITY_WEIGHT / max(1.0, popularity[entity_id] / 3)
        yield Reason(weight, f"both refer to {entity_id}")


def _same_signature(signature: str | None, other: Report) -> Iterator[Reason]:
    if signature is not None and signature == error_signature(other.reporter_text):
        yield Reason(SIGNATURE_WEIGHT, f"same error: {signature}")


def _similar_text(mine: Vector, theirs: Vector) -> Iterator[Reason]:
    cosine = sum(weight * theirs.get(term, 0.0) for term, weight in mine.items())
    if cosine >= TEXT_FLOOR:
        yield Reason(min(cosine, 0.95), f"text similarity {cosine:.2f}")


def _vectors(reports: Sequence[Report]) -> list[Vector]:
    """Unit TF-IDF vectors over words and pairs of words; the title counts twice."""
    counts = [Counter(_terms(report)) for report in reports]
    holders = Counter(term for count in counts for term in count)
    return [
        _unit({term: n * math.log(1 + len(counts) / holders[term]) for term, n in count.items()}) for count in counts
    ]


def _terms(report: Report) -> Iterator[str]:
    words = [*tokens(report.title), *tokens(report.title), *tokens(report.body)]
    yield from words
    yield from (f"{first} {second}" for first, second in pairwise(words))


def _unit(vector: Mapping[str, float]) -> Vector:
    length = math.sqrt(sum(weight * weight for weight in vector.values()))
    return {term: weight / length for term, weight in vector.items()} if length else {}

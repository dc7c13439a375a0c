"""Which files a report points at (pure): evidence from names, definitions and text, weighed."""

from __future__ import annotations

from collections.abc import Sequence

from triage.facts import FileHit, SearchFacts
from triage.schemas import SuspectedFile
from triage.sensitivity import is_test_path

MAX_SUSPECTED = 5
MIN_SCORE = 2.0
DOCUMENTS = (".md", ".rst", ".txt", ".adoc")
_WEIGHTS = {"name": 3.0, "definition": 3.0, "text": 0.75}


def suspect(search: SearchFacts) -> tuple[SuspectedFile, ...]:
    """Source files by what points at them, best first; those far behind the first are left out."""
    hits: dict[str, list[FileHit]] = {}
    for hit in search.hits:
        if not is_test_path(hit.path) and not hit.path.casefold().endswith(DOCUMENTS):
            hits.setdefault(hit.path, []).append(hit)
    ranked = sorted((_weighed(path, found) for path, found in hits.items()), key=lambda file: (-file.score, file.path))
    bar = max(MIN_SCORE, ranked[0].score * 0.5) if ranked else MIN_SCORE
    return tuple(file for file in ranked if file.score >= bar)[:MAX_SUSPECTED]


def _weighed(path: str, hits: Sequence[FileHit]) -> SuspectedFile:
    """Each term counts once a file, by the strongest way in which it was found."""
    best = {hit.term: hit for hit in sorted(hits, key=lambda hit: _WEIGHTS[hit.how])}
    reasons = tuple(f"{hit.how}: {hit.term}" for hit in best.values())[:6]
    return SuspectedFile(path=path, score=round(sum(_WEIGHTS[hit.how] for hit in best.values()), 2), reasons=reasons)

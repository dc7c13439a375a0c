"""What to know before work starts (pure): fixed already, only on a branch, against a constraint, or open.

Conservative on purpose: a verdict other than `open` closes doors, so it needs evidence that a person can check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.facts import CommitFact, ConstraintLine, RepositoryFacts, Reproduction, SearchFacts
from triage.schemas import ClassificationFinding, EnvironmentFinding, Report, Reproducible, Verdict
from triage.terms import SearchTerms, issue_references
from triage.text import folded, tokens

MAX_CONSTRAINTS = 200

_FIX = re.compile(
    r"\b(?:fix(?:e[sd])?|repair\w{0,3}|correct(?:s|ed)?|resolve[sd]?|bug|regression|revert\w{0,3})\b", re.I
)
_FORBIDS = re.compile(
    r"\b(?:must not|must never|shall not|may not|never|do not|don't|(?:is|are) forbidden|not allowed|no longer)\b",
    re.I,
)
_WISH = re.compile(
    r"\b(?:please (?:add|support|allow|make|let)|should (?:be able|allow|support|also)|i(?:'d| would) like)\b"
)
_CONFIRMED = re.compile(
    r"\b(?:can|could|was able to|i) reproduced?\b|\breproduced (?:it|this|on|with|locally)\b|\bconfirmed on\b"
)
_DENIED = re.compile(
    r"\b(?:can(?:not|'t| not)|could(?: not|n't)|unable to|did(?: not|n't)) reproduce\b|\bnot reproducible\b"
)


def judge(
    report: Report,
    classification: ClassificationFinding,
    environment: EnvironmentFinding,
    facts: RepositoryFacts,
    search: SearchFacts,
    terms: SearchTerms,
    suspected: tuple[str, ...],
    reproduction: Reproduction | None = None,
) -> Verdict:
    """The first verdict that evidence supports, in the order fixed, branch, constraint, open."""
    reproducible, trial = _reproducible(report, classification, reproduction)
    fault = classification.classification in ("bug", "performance", "security")
    found = (
        (fault and _already_fixed(report, search, terms, suspected))
        or (fault and _on_branch(environment, facts, suspected))
        or _constrained(report, classification, search)
        or Verdict(kind="open", evidence=("no later fix, no branch-only change and no constraint was found",))
    )
    return found.model_copy(update={"reproducible": reproducible, "evidence": (*found.evidence, *trial)})


def forbidding_lines(document: str, text: str) -> tuple[ConstraintLine, ...]:
    """The lines of a document that forbid something, numbered from 1."""
    lines = enumerate(text.splitlines(), start=1)
    found = ((number, line.strip()[:300]) for number, line in lines if _FORBIDS.search(line[:2_000]))
    return tuple(ConstraintLine(document=document, line=number, text=line) for number, line in found)[:MAX_CONSTRAINTS]


def _already_fixed(
    report: Report, search: SearchFacts, terms: SearchTerms, suspected: tuple[str, ...]
) -> Verdict | None:
    for commit in search.later_commits:
        reasons = _fix_reasons(report, commit, terms, suspected)
        if reasons:
            where = commit.tag or commit.sha
            evidence = (f"commit {commit.sha[:12]} came after the reporter's build", *reasons)
            return Verdict(kind="already_fixed_in", fixed_in=where, evidence=evidence)
    return None


def _fix_reasons(report: Report, commit: CommitFact, terms: SearchTerms, suspected: tuple[str, ...]) -> tuple[str, ...]:
    """Why a commit is this problem's fix: it says so by number, or names the same code and touches it."""
    if _FIX.search(commit.message) is None:
        return ()
    if report.issue_number is not None and report.issue_number in issue_references(commit.message):
        return (f"its message refers to #{report.issue_number}",)
    shared = sorted(terms.mentioned_in(commit.message))
    touched = sorted(set(commit.files) & set(suspected))
    if len(shared) >= 2 or (shared and touched):
        named = f"its message names {', '.join(shared[:5])}"
        return (named, f"it touches {', '.join(touched[:5])}") if touched else (named,)
    return ()


def _on_branch(environment: EnvironmentFinding, facts: RepositoryFacts, suspected: tuple[str, ...]) -> Verdict | None:
    sha = facts.sha
    if sha is None or sha.on_default or environment.branch is None:
        return None
    changed = sorted(set(sha.branch_files) & set(suspected))
    if not changed:
        return None
    evidence = (f"{environment.branch} changed {', '.join(changed[:5])} since it left {facts.default_branch}",)
    return Verdict(kind="present_on_branch", branch=environment.branch, evidence=evidence)


def _constrained(report: Report, classification: ClassificationFinding, search: SearchFacts) -> Verdict | None:
    """Only a wish can be against a constraint: a fault report that names one says that it is broken."""
    if classification.classification != "enhancement" and _WISH.search(folded(report.reporter_text)) is None:
        return None
    wanted = set(tokens(report.reporter_text))
    for line in search.constraints:
        shared = _shared(wanted, line.text)
        if shared:
            evidence = (f"{line.document}:{line.line} forbids it", f"shared words: {', '.join(shared)}")
            return Verdict(kind="conflicts_with_constraint", document=line.document, evidence=evidence)
    return None


def _shared(wanted: set[str], line: str) -> tuple[str, ...]:
    """Words in common when they are enough of what is forbidden: three, or two that are half of it."""
    forbidden = list(dict.fromkeys(tokens(_FORBIDS.sub(" ", line))))
    shared = tuple(word for word in forbidden if word in wanted)
    return shared if len(shared) >= 3 or (len(shared) == 2 and len(forbidden) <= 4) else ()


def _reproducible(
    report: Report, classification: ClassificationFinding, reproduction: Reproduction | None
) -> tuple[Reproducible, tuple[str, ...]]:
    if classification.classification not in ("bug", "performance"):
        return "unknown", ()
    if reproduction is not None and reproduction.attempted:
        answer: Reproducible = "yes" if reproduction.failed_as_reported else "no"
        return answer, (f"tried: {reproduction.detail[:200] or answer}",)
    return next(_said_by_others(report), ("unknown", ()))


def _said_by_others(report: Report) -> Iterator[tuple[Reproducible, tuple[str, ...]]]:
    """The reporter saw it once already; only somebody else's word is a second observation. Newest first."""
    for message in reversed(report.messages):
        if message.author_kind in ("agent", "maintainer"):
            text = folded(message.body)
            if _DENIED.search(text):
                yield "no", (f"a message by {message.author_kind} could not reproduce it",)
            elif _CONFIRMED.search(text):
                yield "yes", (f"a message by {message.author_kind} reproduced it",)

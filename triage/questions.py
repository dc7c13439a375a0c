"""What is missing from a report, as a structured list and as the message that asks for it (pure).

Only what an answer would change is asked, and only in our own words: no text of the report comes back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from neotoma.submissions.signature import error_signature
from triage.facts import RepositoryFacts
from triage.schemas import ClassificationFinding, EnvironmentFinding, MissingDetail, Report
from triage.terms import SearchTerms
from triage.text import tokens

MIN_WORDS = 5

_FIGURE = re.compile(
    r"\b\d[\d.,]{0,12} ?(?:ms|s|sec|seconds?|min|minutes?|mb|gb|kb|rows|requests|x|times|%)(?![a-z])", re.I
)
_STEPS = re.compile(
    r"(?:^|\n)\s{0,8}(?:\d{1,2}[.)]|[-*]) |```|steps|reproduc|\b(?:when|after)\b"
    r"|\bcall(?:s|ed|ing)?\b|\brun(?:s|ning)?\b",
    re.I,
)
_CHANGE = re.compile(
    r"\b(?:instead|expected|should|but|actual|got|however|returns?|fails?|drop(?:s|ped)?|missing|lost)\b", re.I
)


def missing_details(
    report: Report,
    classification: ClassificationFinding,
    environment: EnvironmentFinding,
    facts: RepositoryFacts,
    terms: SearchTerms,
) -> tuple[MissingDetail, ...]:
    """What to ask the reporter, in a fixed order; empty when work can start."""
    if classification.classification in ("test", "question", "enhancement"):
        return tuple(_substance(report, terms))
    found = [*_build(report, environment, facts), *_substance(report, terms)]
    if classification.classification == "performance":
        found += _measurement(report)
    elif classification.classification == "bug":
        found += _course(report, terms)
    return tuple(found)


def questions_text(missing: Sequence[MissingDetail]) -> str:
    """One message that asks for everything at once; empty for nothing."""
    if not missing:
        return ""
    lines = [f"{number}. {item.field}: {item.question} ({item.reason})" for number, item in enumerate(missing, start=1)]
    # Blank lines around the list: without them Markdown takes what follows for the last item's own words.
    asked = ("To go on, these details are needed:", "\n".join(lines), "Answer on this thread; work resumes by itself.")
    return "\n\n".join(asked)


def _build(report: Report, environment: EnvironmentFinding, facts: RepositoryFacts) -> Iterator[MissingDetail]:
    """Asks about the build only when an answer can be checked: without a repository that is our own lack."""
    if not report.reporter_git_sha and not report.reporter_app_version and not report.reporter_git_ref:
        yield _detail("reporter_git_sha", "Which commit or released version did you run?", "no build was named")
        return
    yield from (_malformed(field) for field in facts.refused)
    if not facts.available:
        return
    if facts.sha is not None and not facts.sha.known:
        yield from _fork(report)
    elif environment.conflicts and not facts.refused:
        reason = "; ".join(environment.conflicts)
        yield _detail("reporter_git_sha", "Which commit exactly did you run, and from which branch?", reason)
    elif environment.kind == "unknown" and not facts.refused:
        reason = environment.evidence[0] if environment.evidence else "the build is not known"
        yield _detail("reporter_git_sha", "Which commit or released version did you run?", reason)


def _malformed(field: str) -> MissingDetail:
    return _detail(field, "Please name it as git prints it.", "it does not have the form of a revision or version")


def _fork(report: Report) -> Iterator[MissingDetail]:
    yield _detail(
        "reporter_git_sha", "Which published commit is your build based on?", "this repository lacks the commit"
    )
    if not report.reporter_patch_source_id:
        question = "If you run your own fork: where can the patch be read (an entity id or a public address)?"
        yield _detail("reporter_patch_source_id", question, "changes that nobody can read cannot be reproduced")


def _substance(report: Report, terms: SearchTerms) -> Iterator[MissingDetail]:
    text = report.reporter_text
    if not terms.symbols and len(tokens(text)) < MIN_WORDS and error_signature(text) is None:
        yield _detail("description", "What did you do, and what happened?", "the report is too short to act on")


def _course(report: Report, terms: SearchTerms) -> Iterator[MissingDetail]:
    """An error with a place needs no more; a tale needs a course of events, or code that it names."""
    text = report.reporter_text
    if error_signature(text) is not None or terms.symbols or terms.paths:
        return
    if _STEPS.search(text) is None:
        yield _detail("steps", "Which calls or commands lead to it, in order?", "no course of events is given")
    if _CHANGE.search(text) is None:
        yield _detail("expected", "What did you expect instead?", "the report does not say what is wrong with it")


def _measurement(report: Report) -> Iterator[MissingDetail]:
    if _FIGURE.search(report.reporter_text) is None:
        yield _detail("measurement", "How long does it take, on how much data?", "a fix is judged against a figure")


def _detail(field: str, question: str, reason: str) -> MissingDetail:
    return MissingDetail(field=field, question=question, reason=reason)

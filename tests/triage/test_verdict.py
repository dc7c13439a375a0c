from __future__ import annotations

from typing import Any

import pytest

from triage.facts import CommitFact, ConstraintLine, RepositoryFacts, Reproduction, SearchFacts, ShaFact
from triage.schemas import ClassificationFinding, EnvironmentFinding, Report, ThreadMessage, Verdict
from triage.terms import search_terms
from triage.verdict import forbidding_lines, judge

SHA = "a" * 40
REPORT = Report(title="find_titles misses", body="`find_titles` and `casefold_all` differ", issue_number=12, kind="bug")
RELEASE = EnvironmentFinding(kind="public_release", sha=SHA)


def verdict(
    report: Report = REPORT,
    classification: Any = "bug",
    environment: EnvironmentFinding = RELEASE,
    facts: RepositoryFacts | None = None,
    search: SearchFacts | None = None,
    suspected: tuple[str, ...] = (),
    reproduction: Reproduction | None = None,
) -> Verdict:
    finding = ClassificationFinding(classification=classification, confidence=0.8)
    known = facts or RepositoryFacts(available=True, default_branch="main")
    found = search or SearchFacts()
    return judge(report, finding, environment, known, found, search_terms(report), suspected, reproduction)


def after(message: str, files: tuple[str, ...] = (), tag: str | None = "v1.1.0") -> SearchFacts:
    return SearchFacts(later_commits=(CommitFact(sha="b" * 40, message=message, files=files, tag=tag),))


@pytest.mark.parametrize(
    ("message", "files"),
    [
        ("Fixes #12", ()),
        ("Fix find_titles and casefold_all", ()),
        ("Repair find_titles", ("shelf/search.py",)),
    ],
)
def test_a_later_fix_is_found(message: str, files: tuple[str, ...]) -> None:
    found = verdict(search=after(message, files), suspected=("shelf/search.py",))
    assert (found.kind, found.fixed_in) == ("already_fixed_in", "v1.1.0")
    assert found.evidence[0].startswith("commit bbbbbbbbbbbb")


@pytest.mark.parametrize(
    ("message", "files"),
    [
        ("Fixes #13", ("shelf/other.py",)),
        ("Mention #12 in the notes", ()),
        ("Fix find_titles", ("shelf/other.py",)),
        ("Rename find_titles and casefold_all", ()),
        ("Fix the build", ("shelf/search.py",)),
    ],
)
def test_a_later_change_alone_is_no_fix(message: str, files: tuple[str, ...]) -> None:
    assert verdict(search=after(message, files), suspected=("shelf/search.py",)).kind == "open"


def test_a_fix_that_no_release_holds_is_named_by_its_commit() -> None:
    assert verdict(search=after("Fixes #12", tag=None)).fixed_in == "b" * 40


def test_a_wish_is_not_fixed_by_a_later_commit() -> None:
    assert verdict(classification="enhancement", search=after("Fixes #12")).kind == "open"


@pytest.mark.parametrize(
    ("files", "on_default", "kind"),
    [
        (("shelf/labels.py",), False, "present_on_branch"),
        (("shelf/other.py",), False, "open"),
        (("shelf/labels.py",), True, "open"),
    ],
)
def test_a_fault_in_what_only_the_branch_changed(files: tuple[str, ...], on_default: bool, kind: str) -> None:
    sha = ShaFact(known=True, sha=SHA, on_default=on_default, branch_files=files)
    facts = RepositoryFacts(available=True, default_branch="main", sha=sha)
    environment = EnvironmentFinding(kind="local_branch", sha=SHA, branch="feature/labels")
    found = verdict(environment=environment, facts=facts, suspected=("shelf/labels.py",))
    assert found.kind == kind
    assert found.branch == ("feature/labels" if kind == "present_on_branch" else None)


RULE = ConstraintLine(
    document="ARCHITECTURE.md", line=7, text="The shelf must not open network connections or send mail."
)


@pytest.mark.parametrize(
    ("title", "body", "classification", "kind"),
    [
        ("Send mail", "The shelf could send mail when it stores.", "enhancement", "conflicts_with_constraint"),
        ("Send mail", "Please add mail: the shelf should also send it.", "bug", "conflicts_with_constraint"),
        ("It opens network connections", "The shelf opens network connections on start.", "bug", "open"),
        ("Sort titles", "Sort the titles of a shelf.", "enhancement", "open"),
    ],
)
def test_a_wish_against_a_constraint(title: str, body: str, classification: str, kind: str) -> None:
    found = verdict(Report(title=title, body=body), classification, search=SearchFacts(constraints=(RULE,)))
    assert found.kind == kind
    assert found.document == ("ARCHITECTURE.md" if kind != "open" else None)
    assert kind == "open" or found.evidence[0] == "ARCHITECTURE.md:7 forbids it"


def said(author: Any, body: str) -> Report:
    return REPORT.model_copy(update={"messages": (ThreadMessage(author_kind=author, body=body),)})


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (REPORT, "unknown"),
        (said("reporter", "I reproduced it again"), "unknown"),
        (said("maintainer", "I reproduced it on main"), "yes"),
        (said("agent", "Confirmed on v1.1.0"), "yes"),
        (said("maintainer", "I cannot reproduce this"), "no"),
        (said("agent", "It is not reproducible here"), "no"),
        (said("daemon", "reproduced it"), "unknown"),
    ],
)
def test_only_somebody_elses_observation_makes_it_reproducible(report: Report, expected: str) -> None:
    assert verdict(report).reproducible == expected


@pytest.mark.parametrize(("failed", "expected"), [(True, "yes"), (False, "no")])
def test_a_trial_outranks_the_thread(failed: bool, expected: str) -> None:
    trial = Reproduction(attempted=True, failed_as_reported=failed, detail="python -m unittest")
    found = verdict(said("maintainer", "I reproduced it" if not failed else "cannot reproduce"), reproduction=trial)
    assert found.reproducible == expected
    assert "tried: python -m unittest" in found.evidence


def test_reproducible_is_only_asked_of_faults() -> None:
    assert verdict(said("maintainer", "I reproduced it"), "question").reproducible == "unknown"


def test_forbidding_lines_are_numbered() -> None:
    text = "# Rules\n\n* Types must never change.\n* Use tabs.\n* Do NOT push.\n"
    assert [(line.line, line.text) for line in forbidding_lines("R.md", text)] == [
        (3, "* Types must never change."),
        (5, "* Do NOT push."),
    ]

"""The steps of a plan by its kind (pure).

Steps name files and symbols of the repository and findings of ours. They never repeat the report's sentences, so a
plan can be read aloud to an agent without passing anybody's orders on.
"""

from __future__ import annotations

from collections.abc import Callable

from triage.facts import SearchFacts
from triage.findings import Findings
from triage.schemas import PlanKind
from triage.suspects import DOCUMENTS


def steps_for(kind: PlanKind, found: Findings) -> tuple[str, ...]:
    """What to do, in order."""
    return _STEPS[kind](found)


def measurement(found: Findings) -> str:
    target = f"{found.suspected[0].path}" if found.suspected else "the reported operation"
    return f"Time {target} on the reported amount of data, before and after, five runs each; the median must fall."


def answer(search: SearchFacts) -> str | None:
    """Where the documents speak of it: a file that two of the terms point at."""
    terms: dict[str, set[str]] = {}
    lines: dict[str, set[int]] = {}
    for hit in search.hits:
        if hit.path.casefold().endswith(DOCUMENTS):
            terms.setdefault(hit.path, set()).add(hit.term.casefold())
            lines.setdefault(hit.path, set()).update(hit.lines)
    good = sorted(
        (path for path, found in terms.items() if len(found) >= 2), key=lambda path: (-len(terms[path]), path)
    )
    if not good:
        return None
    places = "; ".join(f"{path}, lines {', '.join(map(str, sorted(lines[path])[:5]))}" for path in good[:3])
    return f"The documents speak of it here: {places}."


def _where(found: Findings) -> str:
    return ", ".join(item.path for item in found.suspected) or "the code that the report describes"


def _fix(found: Findings) -> tuple[str, ...]:
    return (
        f"Branch from {found.facts.default_branch or 'the default branch'}.",
        "Write a test that fails as reported.",
        f"Find the cause in {_where(found)} and change as little as possible.",
        "Run the project's own tests and lint.",
        *_close_all(found),
    )


def _optimise(found: Findings) -> tuple[str, ...]:
    return (
        f"Branch from {found.facts.default_branch or 'the default branch'}.",
        f"Measure first. {measurement(found)}",
        f"Find what takes the time in {_where(found)} and change as little as possible.",
        "Keep the measurement as a test of the amount of work (queries, calls), not of the clock.",
        "Run the project's own tests and lint.",
        *_close_all(found),
    )


def _reproduce(found: Findings) -> tuple[str, ...]:
    build = found.environment.sha or found.environment.branch or "the reporter's build"
    return (
        f"Check out {build} in a separate worktree; leave the main line alone.",
        f"Reproduce it there, starting at {_where(found)}.",
        "Report the worktree's path and the findings.",
    )


def _verify(found: Findings) -> tuple[str, ...]:
    return (f"Ask the reporter to try {found.verdict.fixed_in} and to confirm.", *found.verdict.evidence)


def _proposal(found: Findings) -> tuple[str, ...]:
    related = ", ".join(f"#{item.issue_number}" if item.issue_number else item.entity_id for item in found.cluster)
    gather = f"Consider together with {related}." if related else "No related open issue was found."
    against = (f"Note that {found.verdict.document} speaks against it.",) if found.verdict.document else ()
    return (gather, *against, "A person decides whether and how it is built.")


def _reply(found: Findings) -> tuple[str, ...]:
    if answer(found.search) is None:
        return ("Hand the question to a person: the documents do not answer it.",)
    return ("Answer on the thread with the places in the documents.", "Close as answered when the reporter confirms.")


def _cleanup(found: Findings) -> tuple[str, ...]:
    return ("Confirm that the report is only a test.", "Close it with resolution test and a short message.")


def _advisory(found: Findings) -> tuple[str, ...]:
    return (
        "Look for an existing advisory on the same problem.",
        f"Draft a private advisory: affected versions, effect, {_where(found)}.",
        "Prepare the fix in private; publish nothing before a person says so.",
    )


def _close_all(found: Findings) -> tuple[str, ...]:
    if not found.cluster:
        return ()
    return (f"When it lands, close the {len(found.cluster)} related issues with it and tell each thread.",)


_STEPS: dict[PlanKind, Callable[[Findings], tuple[str, ...]]] = {
    "fix": _fix, "optimise": _optimise, "reproduce": _reproduce, "verify": _verify,
    "proposal": _proposal, "answer": _reply, "cleanup": _cleanup, "advisory": _advisory,
}  # fmt: skip

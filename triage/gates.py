"""The gates (pure): code, not prompt, decides what a person must see before anything runs or leaves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from triage.schemas import Gate, GateDecision, PlanDraft, Report, Word
from triage.sensitivity import MAX_AREAS, MAX_CHANGED_LINES, MAX_FILES, areas, rules_for, topics_of
from triage.text import folded

MIN_CONFIDENCE = 0.5
_SEVERITY: dict[GateDecision, int] = {"auto": 0, "ask": 1, "refuse": 2}


class ChangedFile(Word):
    """One file of a diff. `mode` is git's, in octal digits; 120000 is a symbolic link, 160000 a submodule."""

    path: str
    added: int = 0
    removed: int = 0
    mode: str = "100644"
    binary: bool = False


def gate_plan(plan: PlanDraft, report: Report) -> tuple[Gate, ...]:
    """Every gate that holds a plan, or a single `auto` gate when none does."""
    found = (*_suspicion(plan), *_subject(plan), *_topics(report), *_paths(plan.files_suspected), *_extent(plan))
    return found or (Gate(name="all clear", decision="auto", reason="no gate of the sensitivity map applies"),)


def gate_diff(changes: Sequence[ChangedFile], plan: PlanDraft) -> tuple[Gate, ...]:
    """Every gate that holds a finished diff, or a single `auto` gate when none does."""
    found = (*_outside(changes, plan), *_paths(change.path for change in changes), *_oddities(changes), *_size(changes))
    return found or (Gate(name="all clear", decision="auto", reason="the diff stays inside the plan"),)


def strictest(gates: Iterable[Gate]) -> GateDecision:
    """refuse before ask before auto; without a gate nobody looked, which is `ask`."""
    return max((gate.decision for gate in gates), key=_SEVERITY.__getitem__, default="ask")


def is_safe(gates: Iterable[Gate]) -> bool:
    """True when every gate lets the plan or the diff pass by itself."""
    return strictest(gates) == "auto"


def _suspicion(plan: PlanDraft) -> Iterator[Gate]:
    if plan.suspicious:
        asked = "; ".join(f"{found.name}: {found.excerpt}" for found in plan.suspicions)
        yield _ask("suspicious", f"the text gives orders, which nobody follows: {asked}"[:600])


def _subject(plan: PlanDraft) -> Iterator[Gate]:
    if plan.classification == "security":
        yield _ask("security report", "an advisory stays private until a person says otherwise")
    if plan.decision_required:
        yield _ask("decision", "what to do is a person's decision")
    if plan.missing:
        yield _ask("missing detail", f"the reporter was asked for {', '.join(item.field for item in plan.missing)}")
    if plan.environment.kind == "unknown" and plan.kind in ("fix", "optimise", "reproduce"):
        yield _ask("environment", "it is not known which build has the problem")
    if plan.environment.conflicts:
        yield _ask("environment conflict", "; ".join(plan.environment.conflicts))
    if plan.verdict.kind == "conflicts_with_constraint":
        yield _ask("constraint", f"{plan.verdict.document} forbids what is asked for")


def _topics(report: Report) -> Iterator[Gate]:
    for rule in topics_of(folded(report.reporter_text)):
        yield _ask(f"topic: {rule.name}", rule.reason)


def _paths(paths: Iterable[str]) -> Iterator[Gate]:
    """One gate a rule, with the paths that fall under it."""
    hit: dict[str, list[str]] = {}
    rules = {}
    for path in paths:
        for rule in rules_for(path):
            rules[rule.name] = rule
            hit.setdefault(rule.name, []).append(path)
    for name, rule in rules.items():
        yield Gate(name=name, decision=rule.decision, reason=rule.reason, paths=tuple(hit[name]))


def _extent(plan: PlanDraft) -> Iterator[Gate]:
    if plan.kind not in ("fix", "optimise", "reproduce"):
        return
    files = plan.files_suspected
    if not files:
        yield _ask("no suspected file", "the search found nowhere to start")
    if len(files) > MAX_FILES:
        yield _ask("size", f"{len(files)} files are suspected; more than {MAX_FILES} need a person")
    if len(areas(files)) > MAX_AREAS:
        yield _ask("ambiguous boundary", f"it crosses {', '.join(sorted(areas(files)))}")
    if plan.confidence < MIN_CONFIDENCE:
        yield _ask("low confidence", f"{plan.confidence:.2f} is under {MIN_CONFIDENCE}")


def _outside(changes: Sequence[ChangedFile], plan: PlanDraft) -> Iterator[Gate]:
    allowed = {*plan.files_suspected, *plan.files_expected}
    outside = tuple(change.path for change in changes if change.path not in allowed)
    if outside:
        yield Gate(name="outside the plan", decision="ask", reason="the approved plan names other files", paths=outside)


def _oddities(changes: Sequence[ChangedFile]) -> Iterator[Gate]:
    odd = tuple(change.path for change in changes if change.mode not in ("100644", "000000") or change.binary)
    if odd:
        reason = "links, submodules, programs and binary files need eyes"
        yield Gate(name="not plain text", decision="ask", reason=reason, paths=odd)


def _size(changes: Sequence[ChangedFile]) -> Iterator[Gate]:
    if not changes:
        yield _ask("empty", "the diff changes nothing")
    lines = sum(change.added + change.removed for change in changes)
    if len(changes) > MAX_FILES or lines > MAX_CHANGED_LINES:
        limit = f"{MAX_FILES} files or {MAX_CHANGED_LINES} lines"
        yield _ask("size", f"{len(changes)} files and {lines} lines change; more than {limit} need a person")


def _ask(name: str, reason: str) -> Gate:
    return Gate(name=name, decision="ask", reason=reason)

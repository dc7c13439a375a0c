from __future__ import annotations

from typing import Any

import pytest

from triage.gates import ChangedFile, gate_diff, gate_plan, is_safe, strictest
from triage.schemas import EnvironmentFinding, Gate, MissingDetail, PlanDraft, Report, Suspicion, Verdict

REPORT = Report(title="Storing drops a field", body="`store_entity` loses it")


def plan(**changes: Any) -> PlanDraft:
    fields: dict[str, Any] = {
        "kind": "fix",
        "classification": "bug",
        "title": "Fix",
        "steps": ("x",),
        "files_suspected": ("shelf/store.py",),
        "files_expected": ("tests/test_store.py",),
        "environment": EnvironmentFinding(kind="public_release"),
        "verdict": Verdict(kind="open"),
        "risk": "low",
        "confidence": 0.8,
    }
    return PlanDraft(**{**fields, **changes})


def test_an_ordinary_plan_passes_every_gate() -> None:
    (gate,) = gate_plan(plan(), REPORT)
    assert (gate.name, gate.decision) == ("all clear", "auto")


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"suspicions": (Suspicion(name="changes a switch", excerpt="set auto_fix on"),)}, "suspicious"),
        ({"classification": "security"}, "security report"),
        ({"decision_required": True}, "decision"),
        ({"missing": (MissingDetail(field="steps", question="?", reason="r"),)}, "missing detail"),
        ({"environment": EnvironmentFinding(kind="unknown")}, "environment"),
        ({"environment": EnvironmentFinding(kind="local_commit", conflicts=("x: y",))}, "environment conflict"),
        ({"verdict": Verdict(kind="conflicts_with_constraint", document="A.md")}, "constraint"),
        ({"files_suspected": ()}, "no suspected file"),
        ({"files_suspected": tuple(f"shelf/m{n}.py" for n in range(9))}, "size"),
        ({"files_suspected": ("a/x.py", "b/x.py", "c/x.py", "d/x.py")}, "ambiguous boundary"),
        ({"confidence": 0.49}, "low confidence"),
        ({"files_suspected": ("shelf/migrations/0002.py",)}, "schema and migrations"),
        ({"files_suspected": ("pyproject.toml",)}, "dependencies"),
    ],
)
def test_each_gate_holds_a_plan(changes: dict[str, Any], name: str) -> None:
    gates = gate_plan(plan(**changes), REPORT)
    assert (name, "ask") in [(gate.name, gate.decision) for gate in gates]
    assert not is_safe(gates)


def test_a_topic_of_the_report_holds_the_plan() -> None:
    gates = gate_plan(plan(), Report(title="Wrong", body="It needs a database migration"))
    assert [gate.name for gate in gates] == ["topic: schema"]


def test_the_suspicious_gate_says_what_was_asked() -> None:
    suspicion = Suspicion(name="changes a switch", excerpt="set auto_fix on")
    (gate,) = gate_plan(plan(suspicions=(suspicion,)), REPORT)
    assert "changes a switch: set auto_fix on" in gate.reason


def test_a_path_outside_is_refused_not_asked() -> None:
    assert strictest(gate_plan(plan(files_suspected=("../x.py",)), REPORT)) == "refuse"


@pytest.mark.parametrize("kind", ["answer", "cleanup", "verify"])
def test_plans_that_change_no_code_need_no_file(kind: Any) -> None:
    assert is_safe(gate_plan(plan(kind=kind, files_suspected=(), confidence=0.3), REPORT))


def test_a_diff_inside_the_plan_passes() -> None:
    changes = [ChangedFile(path="shelf/store.py", added=3, removed=1), ChangedFile(path="tests/test_store.py", added=9)]
    assert is_safe(gate_diff(changes, plan()))


@pytest.mark.parametrize(
    ("changes", "name", "decision"),
    [
        ([ChangedFile(path="shelf/other.py", added=1)], "outside the plan", "ask"),
        ([ChangedFile(path="shelf/store.py", added=1, mode="120000")], "not plain text", "ask"),
        ([ChangedFile(path="shelf/store.py", added=1, mode="160000")], "not plain text", "ask"),
        ([ChangedFile(path="shelf/store.py", added=1, mode="100755")], "not plain text", "ask"),
        ([ChangedFile(path="shelf/store.py", binary=True)], "not plain text", "ask"),
        ([ChangedFile(path="shelf/store.py", added=200, removed=101)], "size", "ask"),
        ([ChangedFile(path=f"m{n}.py", added=1) for n in range(9)], "size", "ask"),
        ([], "empty", "ask"),
        ([ChangedFile(path=".git/config", added=1)], "outside the repository", "refuse"),
        ([ChangedFile(path=".github/workflows/x.yml", added=1)], "CI and release", "ask"),
    ],
)
def test_each_gate_holds_a_diff(changes: list[ChangedFile], name: str, decision: str) -> None:
    gates = gate_diff(changes, plan())
    assert (name, decision) in [(gate.name, gate.decision) for gate in gates]


def test_a_planned_sensitive_file_is_still_asked_about() -> None:
    held = plan(files_suspected=("app/auth/views.py",))
    assert not is_safe(gate_diff([ChangedFile(path="app/auth/views.py", added=1)], held))


def test_without_a_gate_nobody_looked() -> None:
    assert strictest(()) == "ask"
    assert strictest((Gate(name="a", decision="auto", reason="r"), Gate(name="b", decision="ask", reason="r"))) == "ask"

from __future__ import annotations

from itertools import product
from typing import Any, get_args

import pytest

from triage.schemas import Classification, ReportingMode
from triage.switch import decide

MODES = get_args(ReportingMode)
KINDS = get_args(Classification)
BOOLS = (False, True)


# mode, auto_fix, safe -> action, publishes, told
TABLE = [
    ("off", False, True, "keep", False, False),
    ("off", True, True, "keep", False, False),
    ("off", False, False, "keep", False, True),
    ("off", True, False, "keep", False, True),
    ("consent", False, True, "ask", False, True),
    ("consent", True, True, "ask", True, True),
    ("consent", False, False, "ask", False, True),
    ("consent", True, False, "ask", False, True),
    ("proactive", False, True, "run", False, False),
    ("proactive", True, True, "run", True, False),
    ("proactive", False, False, "ask", False, True),
    ("proactive", True, False, "ask", False, True),
]


@pytest.mark.parametrize(("mode", "auto_fix", "safe", "action", "publishes", "told"), TABLE)
@pytest.mark.parametrize("kind", ["bug", "performance", "question", "test"])
def test_cells(mode: Any, auto_fix: bool, safe: bool, action: str, publishes: bool, told: bool, kind: Any) -> None:
    decision = decide(mode, auto_fix, False, safe, kind, True)
    assert (decision.action, decision.publishes, decision.tell) == (action, publishes, told)


@pytest.mark.parametrize(("mode", "auto_fix", "safe"), list(product(MODES, BOOLS, BOOLS)))
@pytest.mark.parametrize("kind", ["enhancement", "security"])
def test_wishes_and_holes_go_to_a_person(mode: Any, auto_fix: bool, safe: bool, kind: Any) -> None:
    decision = decide(mode, auto_fix, False, safe, kind, True)
    assert decision.action == ("keep" if mode == "off" else "ask")
    assert decision.tell
    assert not decision.publishes


EVERY = list(product(MODES, BOOLS, BOOLS, BOOLS, KINDS, BOOLS, BOOLS))


@pytest.mark.parametrize(("mode", "auto_fix", "dry_run", "safe", "kind", "active", "approved"), EVERY)
def test_what_holds_in_every_cell(
    mode: Any, auto_fix: bool, dry_run: bool, safe: bool, kind: Any, active: bool, approved: bool
) -> None:
    decision = decide(mode, auto_fix, dry_run, safe, kind, active, approved=approved)
    assert decision.reason
    assert (decision.action == "pause") == (not active)
    assert (decision.action == "preview") == (active and dry_run)
    assert decision.stores_plan == (active and not dry_run)
    if decision.action == "run":
        assert mode != "off"
        assert approved or (mode == "proactive" and safe and kind not in ("enhancement", "security"))
    if decision.publishes:
        assert auto_fix and safe
        assert kind not in ("enhancement", "security")
        assert not decision.stops_before_push
    if decision.action in ("run", "ask"):
        assert decision.publishes != decision.stops_before_push


def test_approval_runs_in_consent_and_never_in_off() -> None:
    assert decide("consent", False, False, True, "bug", True, approved=True).action == "run"
    assert decide("consent", False, False, True, "bug", True, approved=True).stops_before_push
    assert decide("consent", True, False, True, "bug", True, approved=True).publishes
    assert decide("off", True, False, True, "bug", True, approved=True).action == "keep"

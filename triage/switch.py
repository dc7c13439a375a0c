"""The switches (pure): one function covers every cell of mode, auto_fix, dry run, gates and kind."""

from __future__ import annotations

from typing import Literal

from triage.schemas import Classification, ReportingMode, Word

Action = Literal["pause", "preview", "keep", "ask", "run"]


class Decision(Word):
    """What happens to a case now.

    pause: nothing at all. preview: only the preview is written. keep: the plan is stored. ask: stored, and a person
    is asked. run: stored, and a run may start. `tell` says that the operator hears of it; `publishes`, that a run of
    this plan (now, or once approved) may open a pull request without a person's word on the commit.
    """

    action: Action
    reason: str
    tell: bool = False
    publishes: bool = False

    @property
    def stores_plan(self) -> bool:
        return self.action in ("keep", "ask", "run")

    @property
    def stops_before_push(self) -> bool:
        return self.action in ("ask", "run") and not self.publishes


def decide(
    mode: ReportingMode,
    auto_fix: bool,
    dry_run: bool,
    plan_is_safe: bool,
    classification: Classification,
    active: bool,
    *,
    approved: bool = False,
) -> Decision:
    """The cell of the table. Asked again at every step with the switches of that moment.

    `plan_is_safe`: every gate said auto. `approved`: a person approved this revision of the plan.
    """
    if not active:
        return Decision(action="pause", reason="the daemon is paused")
    if dry_run:
        return Decision(action="preview", reason="first of its kind: only a preview", tell=True)
    # Wishes and holes are never a machine's decision, whatever the gates say.
    held = not plan_is_safe or classification in ("enhancement", "security")
    if mode == "off":
        return Decision(action="keep", reason="mode off stores plans and runs none", tell=held)
    publishes = auto_fix and not held
    if approved:
        return Decision(action="run", reason="a person approved it", publishes=publishes)
    if held or mode == "consent":
        reason = "a person decides" if held else "mode consent asks first"
        return Decision(action="ask", reason=reason, tell=True, publishes=publishes)
    return Decision(action="run", reason="mode proactive runs safe plans", publishes=publishes)

"""People decide on plans: approve, reject, ask the reporter."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.nested import perform
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import WriteParams
from neotoma.submissions.guard import guard
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Entity
from neotoma.substrate.reading import iso
from triage.gates import strictest
from triage.operations.shapes import PlanId, PlanResult, decidable, refuse_settled, result_of
from triage.progress import BEGUN, GIVEN_UP, Progress
from triage.schemas import Gate

OPEN = ("draft", "awaiting_input", "proposed")
REJECTABLE = (*OPEN, "approved", "ready_to_ship")


class ApprovePlanParams(WriteParams):
    plan_id: str = PlanId
    revision: int = Field(ge=1, description="The revision that you read and approve; another one is refused.")


class RejectPlanParams(WriteParams):
    plan_id: str = PlanId
    revision: int | None = Field(None, ge=1, description="The revision that you read; leave out to reject any.")
    reason: str = Field(min_length=1, max_length=2000, description="Why; kept with the plan.")


class AskReporterParams(WriteParams):
    plan_id: str = PlanId
    text: str = Field(min_length=1, max_length=8000, description="The question, as it goes to the issue's thread.")


class PlanRefused(Refusal):
    """A gate says that nobody may let this plan run."""

    error_code: ClassVar[str] = "PLAN_REFUSED_BY_GATE"
    status = 422
    hint = "Reject the plan, or have it planned without what the gate names."


@operation(
    "approve_plan",
    title="Approve a plan",
    effect="write",
    risk="high",
    scopes=("review", "maintain", "operate"),
    route=Route("POST", "plans/{plan_id}/approve"),
    toolset="triage",
    default=False,
)
def approve_plan(context: Context, params: ApprovePlanParams) -> PlanResult:
    """Let the daemon carry out exactly this revision of a plan. For people of the instance; cannot be taken back.

    A run starts by itself as soon as the daemon's switches and limits allow.
    """
    plan = decidable(context, params.plan_id)
    refuse_settled(plan, ("draft", "proposed"))
    gates = [Gate.model_validate(gate) for gate in plan.snapshot.get("gates", [])]
    if strictest(gates) == "refuse":
        refused = [gate.name for gate in gates if gate.decision == "refuse"]
        raise PlanRefused(f"The gate {refused[0]} refuses this plan.", details={"gates": refused})
    decided = _decide(context, plan, {"status": "approved", "reason": None}, {"revision": params.revision})
    _show(context, plan, BEGUN)
    return decided


@operation(
    "reject_plan",
    title="Reject a plan",
    effect="write",
    risk="mid",
    undo="propose_plan",
    restorable=True,
    scopes=("review", "maintain", "operate"),
    route=Route("POST", "plans/{plan_id}/reject"),
    toolset="triage",
    default=False,
)
def reject_plan(context: Context, params: RejectPlanParams) -> PlanResult:
    """Reject a plan that is not being carried out; the reason stays with it. Undo: propose_plan proposes anew.

    A daemon that gives up its own plan leaves it abandoned.
    """
    plan = decidable(context, params.plan_id)
    refuse_settled(plan, REJECTABLE)
    begun = plan.snapshot["status"] not in OPEN
    status = "abandoned" if context.principal.actor.kind == "daemon" else "rejected"
    expect = {} if params.revision is None else {"revision": params.revision}
    decided = _decide(context, plan, {"status": status, **guard({"reason": params.reason}).fields}, expect)
    if begun:
        _show(context, plan, GIVEN_UP)
    return decided


@operation(
    "ask_reporter",
    title="Ask the reporter",
    effect="write",
    risk="mid",
    undo="withdraw_message",
    restorable=True,
    scopes=("review", "maintain", "operate"),
    route=Route("POST", "plans/{plan_id}/ask"),
    toolset="triage",
    default=False,
)
def ask_reporter(context: Context, params: AskReporterParams) -> PlanResult:
    """Ask the reporter something before you decide on a plan; it waits, and the answer has it looked at again.

    The question goes to the thread in your name. Undo: withdraw_message.
    """
    plan = decidable(context, params.plan_id)
    refuse_settled(plan, OPEN)
    question = {"entity_id": plan.snapshot["issue_id"], "body": params.text, "asks": True}
    perform(context, "add_issue_message", question, lends=("review",))
    return _write(context, plan, {"status": "awaiting_input"}, {})


def _show(context: Context, plan: Entity, progress: Progress) -> None:
    """What was decided, as its issue's status; whoever may decide on the plan may say so."""
    if Entity.objects.filter(pk=plan.snapshot["issue_id"], deleted_at=None).exists():
        step = {"entity_id": plan.snapshot["issue_id"], **progress.arguments}
        perform(context, "set_issue_status", step, lends=("review",))


def _decide(context: Context, plan: Entity, change: dict[str, Any], expect: dict[str, Any]) -> PlanResult:
    decided = {"decided_by": context.principal.actor.name, "decided_at": iso(context.now)}
    return _write(context, plan, {**change, **decided}, expect)


def _write(context: Context, plan: Entity, change: dict[str, Any], expect: dict[str, Any]) -> PlanResult:
    """The change, if the plan still is what the caller read."""
    guarded = {"status": plan.snapshot["status"], **expect}
    [stored] = context.write.put([Draft("plan", change, entity_id=plan.pk, expect=guarded)])
    held = stored.entity.snapshot
    context.about(plan.pk, status=held["status"], revision=held["revision"])
    return PlanResult(**result_of(stored.entity))

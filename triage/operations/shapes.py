"""Parameters, results and look-ups that operations of triage share."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.shapes import Shape
from neotoma.operations.targets import NotYours
from neotoma.substrate.errors import Conflict, NotFound
from neotoma.substrate.models import Entity
from triage.models import Plan

PlanId = Field(max_length=28, description="Id of the plan.", examples=["ent_0123456789abcdef01234567"])
DaemonName = Field(
    "formica", pattern=r"^[a-z][a-z0-9_-]{1,39}$", description="Name of the daemon.", examples=["formica"]
)


class PlanResult(Shape):
    plan_id: str = Field(description="Id of the plan.")
    status: str = Field(description="Where the plan stands now.")
    revision: int = Field(description="Its revision; a decision names the one that was read.")
    replayed: bool = Field(False, description="True for a repeat.")


class PlanSettled(Conflict):
    """The plan is past the point at which this could be done to it."""

    error_code = "PLAN_STATUS_CONFLICT"
    hint = "Read the plan again and decide on its current state."


def decidable(context: Context, plan_id: str) -> Entity:
    """The plan, locked, if the caller may decide on it; reviewers decide only for daemons that they review."""
    plan = Plan.objects.visible_to(context.audience).filter(pk=plan_id).first()
    if plan is None:
        raise NotFound("There is no such plan that you can see.", details={"plan_id": plan_id})
    if not context.principal.has("maintain") and plan.daemon_id not in context.audience.roots:
        raise NotYours("You do not review the daemon of this plan.", details={"plan_id": plan_id})
    return context.write.lock(plan.pk)


def refuse_settled(plan: Entity, allowed: tuple[str, ...]) -> None:
    """Only plans in these statuses can be changed like this."""
    status = plan.snapshot["status"]
    if status not in allowed:
        raise PlanSettled(f"The plan is {status}.", details={"status": status, "allowed": list(allowed)})


def result_of(plan: Entity) -> dict[str, Any]:
    """The fields of a `PlanResult`."""
    held = plan.snapshot
    return {"plan_id": plan.pk, "status": held["status"], "revision": held["revision"]}

"""Store a plan, or the next revision of one."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import Field, ValidationError

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import WriteParams
from neotoma.operations.targets import NotYours
from neotoma.submissions.guard import guard
from neotoma.substrate.drafts import Draft, Edge, Stored
from neotoma.substrate.errors import InvalidInput, NotFound
from neotoma.substrate.models import Entity, Relationship
from neotoma.substrate.reading import iso
from triage.daemons import ensure_daemon
from triage.models import DaemonConfig, Plan
from triage.operations.shapes import DaemonName, PlanResult, refuse_settled, result_of
from triage.schemas import Gate, MirrorDecision, PlanDraft, Word

Shaped = TypeVar("Shaped", bound=Word)

REVISABLE = ("draft", "awaiting_input", "proposed")
CONTENT = (*PlanDraft.model_fields, "base_sha", "mirror", "tested_build")
"""Fields whose change makes a new revision."""
MAX_LINKS = 100
FOREIGN = Gate(name="proposed by an agent", decision="ask", reason="gates that somebody else judged are read again")


class ProposePlanParams(WriteParams):
    issue_id: str = Field(max_length=28, description="Entity id of the issue that it is about.", examples=["ent_..."])
    daemon: str = DaemonName
    plan_id: str | None = Field(None, max_length=28, description="An open plan of yours to revise, else a new one.")
    revision: int | None = Field(None, ge=1, description="With plan_id: the revision that you read.")
    plan: dict[str, Any] = Field(
        description="kind, classification, title, steps[], environment, verdict, risk, confidence; optional "
        "files_suspected, files_expected, gates, related_issues, missing, suspicions, base, measurement, answer."
    )
    mirror: dict[str, Any] | None = Field(None, description="Whether to track it in public: {wanted, reason}.")
    base_sha: str | None = Field(None, max_length=64, description="Commit that the plan builds on.")
    tested_build: str | None = Field(None, max_length=64, description="Commit or version that you looked at.")


@operation(
    "propose_plan",
    title="Propose a plan",
    effect="write",
    risk="low",
    undo="reject_plan",
    additive=True,
    scopes=("work", "maintain"),
    route=Route("POST", "plans"),
    toolset="triage",
    default=False,
    status=201,
)
def propose_plan(context: Context, params: ProposePlanParams) -> PlanResult:
    """Store what you would do about an issue, for people to approve or reject. For daemons and agents at work.

    With plan_id it becomes the next revision, if anything differs. A plan of an agent is a draft. Undo: reject_plan.
    """
    draft = _parsed(PlanDraft, params.plan, "plan")
    mirror = None if params.mirror is None else _parsed(MirrorDecision, params.mirror, "mirror").model_dump(mode="json")
    issue = _issue(context, params.issue_id)
    daemon = ensure_daemon(context.write, params.daemon)
    status, draft = _as_far_as(context, draft)
    more = {"base_sha": params.base_sha, "mirror": mirror, "tested_build": params.tested_build}
    content = guard({**draft.model_dump(mode="json"), **more}).fields
    content["private"] = draft.sensitive or issue.visibility == "private"
    if params.plan_id is None:
        stored = _create(context, issue, daemon, {**content, "status": status})
    else:
        stored = _revise(context, params, issue, {**content, "status": status})
    context.write.link(_edges(stored, issue, daemon))
    context.about(stored.pk, status=stored.snapshot["status"], revision=stored.snapshot["revision"])
    return PlanResult(**result_of(stored))


def _parsed(shape: type[Shaped], value: Any, path: str) -> Shaped:
    """What came in, in its shape; refuses by path what does not fit."""
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        problems = [{"path": ".".join((path, *map(str, e["loc"]))), "problem": e["msg"]} for e in error.errors()]
        told = f"{problems[0]['path']}: {problems[0]['problem']}"
        raise InvalidInput(told, details={"fields": problems[:50]}) from None


def _issue(context: Context, issue_id: str) -> Entity:
    issue = targets.readable(context, issue_id)
    if issue.entity_type != "issue" or issue.deleted_at is not None:
        raise NotFound("There is no such issue that you can see.", details={"issue_id": issue_id})
    return issue


def _as_far_as(context: Context, draft: PlanDraft) -> tuple[str, PlanDraft]:
    """Only those who maintain put a plan before the deciders; an agent's own word on its gates is not enough."""
    if context.principal.has("maintain"):
        return draft.status, draft
    held = [gate for gate in draft.gates if gate.decision != "auto"]
    return "draft", draft.model_copy(update={"gates": (FOREIGN, *held)})


def _create(context: Context, issue: Entity, daemon: DaemonConfig, fields: dict[str, Any]) -> Entity:
    """A new plan; its place among the issue's plans makes its key, so that two at once cannot both be the third."""
    place = Plan.objects.filter(issue=issue).count() + 1
    whole = {
        **{name: value for name, value in fields.items() if value is not None},
        "issue_id": issue.pk,
        "daemon_id": daemon.pk,
        "revision": 1,
        "created_at": iso(context.now),
    }
    visibility = "private" if fields["private"] else "internal"
    [stored] = context.write.put([Draft("plan", whole, key=f"new:plan:{issue.pk}:{place}", visibility=visibility)])
    return stored.entity


def _revise(context: Context, params: ProposePlanParams, issue: Entity, fields: dict[str, Any]) -> Entity:
    """The next revision, only if its content differs; the answer is the same when nothing does.

    What was private once stays so: its earlier revisions are read with it.
    """
    plan = _own_plan(context, str(params.plan_id), issue)
    refuse_settled(plan, REVISABLE)
    held = plan.snapshot
    fields["private"] = fields["private"] or plan.visibility == "private"
    expect = {"status": held["status"], "revision": params.revision or held["revision"]}
    differs = [name for name in CONTENT if fields.get(name) != held.get(name)]
    if not differs and fields["status"] == held["status"]:
        return plan
    change = {name: fields.get(name) for name in differs} | {"status": fields["status"]}
    if differs:
        change["revision"] = held["revision"] + 1
    stored: list[Stored] = context.write.put([Draft("plan", change, entity_id=plan.pk, expect=expect)])
    return stored[0].entity


def _own_plan(context: Context, plan_id: str, issue: Entity) -> Entity:
    plan = targets.readable(context, plan_id)
    if plan.entity_type != "plan" or plan.snapshot["issue_id"] != issue.pk:
        raise NotFound("There is no such plan for this issue.", details={"plan_id": plan_id})
    if not context.principal.has("maintain") and plan.owner != context.principal.actor.key:
        raise NotYours("You may only revise plans of your own.", details={"plan_id": plan_id})
    return context.write.lock(plan.pk)


def _edges(plan: Entity, issue: Entity, daemon: DaemonConfig) -> list[Edge]:
    """The plan belongs to its daemon and refers to the issue, to its conversation and to what the issue is about."""
    about = Relationship.objects.filter(source=issue, relationship_type="REFERS_TO", deleted_at=None)
    linked = list(about.order_by("created_at", "pk").values_list("target_id", flat=True)[:MAX_LINKS])
    ends = dict.fromkeys([issue.pk, issue.snapshot["conversation_id"], *linked])
    return [Edge("PART_OF", plan.pk, daemon.pk), *(Edge("REFERS_TO", plan.pk, end) for end in ends)]

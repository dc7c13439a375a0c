"""Release a preview: its kind goes live."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Shape, WriteParams
from neotoma.substrate.errors import Conflict, NotFound
from triage.cases import release
from triage.daemons import put_daemon
from triage.models import Case


class ReleasePreviewParams(WriteParams):
    case_id: int = Field(ge=1, description="Number of the case, from daemon_status.", examples=[3])


class ReleasedPreview(Shape):
    case: dict[str, Any] = Field(description="case_id, state, classification, issue_id, daemon.")
    replayed: bool = Field(False, description="True for a repeat.")


class NoPreview(Conflict):
    """The case shows no preview (any more)."""

    error_code = "CASE_STATE_CONFLICT"
    hint = "Read daemon_status for the previews that wait."


@operation(
    "release_preview",
    title="Release a preview",
    effect="write",
    risk="mid",
    undo="configure_daemon",
    restorable=True,
    scopes=("operate",),
    route=Route("POST", "cases/{case_id}/release"),
    toolset="triage",
    default=False,
)
def release_preview(context: Context, params: ReleasePreviewParams) -> ReleasedPreview:
    """Agree with what a daemon would do: the kind of this case goes live, and all its previews are acted upon.

    Undo: configure_daemon with released_kinds without the kind; what was done meanwhile stays.
    """
    case = Case.objects.select_related("daemon").filter(pk=params.case_id).first()
    if case is None:
        raise NotFound("There is no such case.", details={"case_id": params.case_id})
    if not release(case, context.now):
        raise NoPreview(f"The case is {case.state}.", details={"state": case.state})
    held = context.write.lock(case.daemon_id).snapshot
    live = list(dict.fromkeys([*held.get("released_kinds", []), case.classification]))
    put_daemon(context.write, case.daemon.name, {"released_kinds": live})
    context.about(case.issue_id, case=case.pk, kind=case.classification)
    shown = {"case_id": case.pk, "state": "new", "classification": case.classification}
    return ReleasedPreview(case={**shown, "issue_id": case.issue_id, "daemon": case.daemon.name})

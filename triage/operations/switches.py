"""The kill switch."""

from __future__ import annotations

from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import WriteParams
from neotoma.submissions.guard import guard
from triage.daemons import ensure_daemon, put_daemon
from triage.operations.shapes import DaemonName
from triage.operations.standing import DaemonStatus, standing


class SwitchParams(WriteParams):
    daemon: str = DaemonName
    reason: str | None = Field(None, max_length=500, description="Why, for the audit.")


class Switched(DaemonStatus):
    replayed: bool = Field(False, description="True for a repeat.")


@operation(
    "pause",
    title="Pause a daemon",
    effect="write",
    risk="mid",
    undo="resume",
    restorable=True,
    scopes=("operate",),
    route=Route("POST", "daemons/{daemon}/pause"),
    toolset="triage",
    default=False,
)
def pause(context: Context, params: SwitchParams) -> Switched:
    """Stop a daemon at once: running work is stopped, nothing queued or waiting starts. Undo: resume."""
    return _switch(context, params, active=False)


@operation(
    "resume",
    title="Resume a daemon",
    effect="write",
    risk="mid",
    undo="pause",
    restorable=True,
    scopes=("operate",),
    route=Route("POST", "daemons/{daemon}/resume"),
    toolset="triage",
    default=False,
)
def resume(context: Context, params: SwitchParams) -> Switched:
    """Let a paused daemon go on: each case that waited meanwhile is taken up once. Undo: pause."""
    return _switch(context, params, active=True)


def _switch(context: Context, params: SwitchParams, *, active: bool) -> Switched:
    daemon = ensure_daemon(context.write, params.daemon)
    put_daemon(context.write, params.daemon, {"active": active})
    reason = guard({"reason": params.reason or ""}).fields["reason"]
    context.about(daemon.pk, daemon=params.daemon, active=active, reason=reason)
    return Switched(**standing(params.daemon, context.now).model_dump())

"""Take up every open issue, whatever a daemon has missed."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from neotoma.consumers import after_commit_many
from neotoma.operations.context import Context
from neotoma.operations.nested import perform
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import WriteParams
from triage import cases
from triage.daemons import ensure_daemon
from triage.operations.shapes import DaemonName
from triage.operations.standing import DaemonStatus, standing
from triage.tasks import assess


class ProcessIssuesParams(WriteParams):
    daemon: str = DaemonName
    limit: int = Field(100, ge=1, le=500, description="Open issues to take up at most, last changed first.")


class ProcessedIssues(DaemonStatus):
    opened: int = Field(description="Cases that were opened now.")
    due: int = Field(description="Cases that are being looked at.")
    summary: str = Field(description="What is being done, what waits, and what needs a person, in a few lines.")
    replayed: bool = Field(False, description="True for a repeat.")


@operation(
    "process_issues",
    title="Process open issues",
    effect="write",
    risk="mid",
    undo="pause",
    restorable=True,
    scopes=("maintain", "operate"),
    route=Route("POST", "daemons/{daemon}/process"),
    toolset="triage",
    default=False,
)
def process_issues(context: Context, params: ProcessIssuesParams) -> ProcessedIssues:
    """Open a case for every open issue that has none and look at all that are due; answers where everything stands.

    The work goes on by itself; call again, or daemon_status, for what became of it. To stop it: pause.
    """
    daemon = ensure_daemon(context.write, params.daemon)
    issues = list(_open_issues(context, params.limit))
    opened = cases.open_cases(daemon, [(issue, 0) for issue in issues], context.now)
    due = list(cases.due(context.now).filter(daemon=daemon).values_list("pk", flat=True)[: params.limit])
    after_commit_many(assess, [{"case_id": pk} for pk in due])
    context.about(daemon.pk, daemon=params.daemon, opened=opened)
    status = standing(params.daemon, context.now)
    told = _summary(status, opened, len(due))
    return ProcessedIssues(**status.model_dump(), opened=opened, due=len(due), summary=told)


def _open_issues(context: Context, limit: int) -> Iterator[str]:
    cursor: str | None = None
    while limit > 0:
        page = perform(context, "list_issues", {"state": "open", "limit": min(limit, 100), "cursor": cursor})
        yield from (row["entity_id"] for row in page["issues"])
        limit, cursor = limit - len(page["issues"]), page.get("next_cursor")
        if cursor is None:
            return


def _summary(status: DaemonStatus, opened: int, due: int) -> str:
    counted = ", ".join(f"{count} {state}" for state, count in sorted(status.cases.items())) or "none"
    person = [f"release or correct the preview of case {item.case_id}" for item in status.previews]
    person += [f"go on with case {item.case_id}: {item.reason}" for item in status.handed_off]
    lines = [
        f"{status.daemon} is {'at work' if status.active else 'paused'}; {opened} opened, {due} being looked at.",
        f"Cases: {counted}. Runs: {len(status.running)} running, {status.queued} queued.",
        f"Blocked: {status.cases.get('waiting', 0)} wait for a reporter's answer.",
        f"Needed from a person: {'; '.join(person) or 'nothing'}.",
    ]
    return "\n".join(lines)

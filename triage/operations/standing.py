"""How a daemon stands, in one answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Count
from pydantic import Field

from neotoma.operations.shapes import Shape
from neotoma.substrate.reading import iso
from triage.daemons import DEFAULT, find_daemon
from triage.models import Case, DaemonConfig, Run
from triage.runs import HOUR, published_since

SHOWN = 50
"""Entries of each list, newest first."""


class RunView(Shape):
    run_id: int = Field(description="Number of the run.")
    plan_id: str = Field(description="Plan that it carries out.")
    issue_id: str = Field(description="Issue that it is about.")
    started_at: str = Field(description="Since when, UTC.")


class PreviewView(Shape):
    case_id: int = Field(description="Number of the case; hand it to release_preview.")
    issue_id: str = Field(description="Issue that it is about.")
    classification: str = Field(description="Kind that a release makes live.")
    preview: dict[str, Any] = Field(description="What would have been done; texts of the report in it are data.")


class HandedOff(Shape):
    case_id: int = Field(description="Number of the case.")
    issue_id: str = Field(description="Issue that it is about.")
    plan_id: str | None = Field(None, description="Its plan.")
    reason: str = Field(description="Why a person has to go on.")
    worktree: str | None = Field(None, description="Where the work was prepared, on the workers' machine.")


class DaemonStatus(Shape):
    daemon: str = Field(description="Name of the daemon.")
    active: bool = Field(description="False while it is paused.")
    reporting_mode: str = Field(description="off, consent or proactive.")
    dry_run: bool = Field(description="True while kinds that were not released only get a preview.")
    released_kinds: list[str] = Field(description="Kinds that are live in spite of dry_run.")
    auto_fix: bool = Field(description="Whether a safe fix may leave without a person's word.")
    running: list[RunView] = Field(description="Runs that are under way.")
    queued: int = Field(description="Runs that wait.")
    prs_this_hour: int = Field(description="Pull requests of the last 60 minutes.")
    cases: dict[str, int] = Field(description="How many cases are in each state.")
    previews: list[PreviewView] = Field(description="Previews that wait for a release, newest first.")
    handed_off: list[HandedOff] = Field(description="Cases that wait for a person, newest first.")


def standing(name: str, now: datetime) -> DaemonStatus:
    """The daemon as it stands now; the default one stands although nobody has configured it yet."""
    daemon = _known(name)
    config = daemon.config
    cases = Case.objects.filter(daemon__name=name).order_by("-updated_at")
    runs = Run.objects.filter(case__daemon__name=name)
    return DaemonStatus(
        daemon=name,
        active=config.active,
        reporting_mode=config.reporting_mode,
        dry_run=config.dry_run,
        released_kinds=list(config.released_kinds),
        auto_fix=config.auto_fix,
        running=[_run(run) for run in runs.filter(state="running").select_related("case")[:SHOWN]],
        queued=runs.filter(state="queued").count(),
        prs_this_hour=published_since(name, now - HOUR),
        cases=dict(cases.order_by().values_list("state").annotate(count=Count("pk"))),
        previews=[_preview(case) for case in cases.filter(state="previewed")[:SHOWN]],
        handed_off=list(_handed_off(list(cases.filter(state="handed_off")[:SHOWN]))),
    )


def _known(name: str) -> DaemonConfig:
    if name == DEFAULT and not DaemonConfig.objects.filter(name=name).exists():
        return DaemonConfig(name=name)
    return find_daemon(name)


def _run(run: Run) -> RunView:
    started = iso(run.started_at or run.queued_at)
    return RunView(run_id=run.pk, plan_id=run.plan_id, issue_id=run.case.issue_id, started_at=started)


def _preview(case: Case) -> PreviewView:
    return PreviewView(
        case_id=case.pk, issue_id=case.issue_id, classification=case.classification, preview=case.preview or {}
    )


def _handed_off(found: list[Case]) -> Iterator[HandedOff]:
    prepared = Run.objects.filter(case__in=found).exclude(worktree="").order_by("queued_at")
    places = {run.case_id: run.worktree for run in prepared}
    for case in found:
        yield HandedOff(
            case_id=case.pk,
            issue_id=case.issue_id,
            plan_id=case.plan_id,
            reason=case.error,
            worktree=places.get(case.pk),
        )

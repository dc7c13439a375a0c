"""A daemon's switches: set them, read how it stands."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field, ValidationError

from neotoma.operations.context import Context
from neotoma.operations.events import refuse_unknown_events
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import ReadParams, Shape, WriteParams
from neotoma.submissions.names import refuse_secrets
from neotoma.substrate.errors import InvalidInput, Refusal
from triage import schemas
from triage.commands import AGENTS, PLANNERS
from triage.daemons import put_daemon
from triage.models import DaemonConfig
from triage.operations.shapes import DaemonName
from triage.operations.standing import DaemonStatus, standing

FILTER_KEYS = frozenset({"entity_types", "entity_ids", "event_types"})
SWITCHES = tuple(name for name in schemas.DaemonConfig.model_fields if name != "name")


class ConfigureDaemonParams(WriteParams):
    daemon: str = DaemonName
    fields: dict[str, Any] = Field(
        default_factory=dict,
        description=f"The switches to change: {', '.join(SWITCHES)}.",
        examples=[{"active": False}],
    )
    active: bool | None = Field(None, description="Short for fields.active: false pauses everything.")
    reporting_mode: schemas.ReportingMode | None = Field(
        None, description="Short for fields.reporting_mode: off stores plans, consent asks, proactive runs safe ones."
    )
    dry_run: bool | None = Field(None, description="Short for fields.dry_run: only previews until one is released.")
    auto_fix: bool | None = Field(None, description="Short for fields.auto_fix: whether safe fixes leave unasked.")

    def changes(self) -> dict[str, Any]:
        """What was named, wherever; refuses one switch with two values."""
        short = {
            name: getattr(self, name)
            for name in ("active", "reporting_mode", "dry_run", "auto_fix")
            if getattr(self, name) is not None
        }
        for name in short.keys() & self.fields.keys():
            if short[name] != self.fields[name]:
                raise InvalidInput.at(f"fields.{name}", "differs from the parameter of the same name")
        return {**self.fields, **short}


class DaemonConfigured(Shape):
    entity_id: str = Field(description="Id of the daemon's entity; rights to review are given on it.")
    daemon_config: dict[str, Any] = Field(description="All its switches as they are now.")
    replayed: bool = Field(False, description="True for a repeat.")


class DaemonStatusParams(ReadParams):
    daemon: str = DaemonName


class UnknownCommand(Refusal):
    """Planners and agents are programs; which ones there are is set where the workers run, never over the wire."""

    error_code: ClassVar[str] = "UNKNOWN_COMMAND"
    status = 422


@operation(
    "configure_daemon",
    title="Configure a daemon",
    effect="write",
    risk="mid",
    undo="configure_daemon",
    restorable=True,
    scopes=("operate",),
    route=Route("PATCH", "daemons/{daemon}"),
    toolset="triage",
    default=False,
)
def configure_daemon(context: Context, params: ConfigureDaemonParams) -> DaemonConfigured:
    """Change a daemon's switches, or make a further daemon by a new name. What is not named stays as it is.

    Undo: configure_daemon with the values before. To stop everything at once: pause.
    """
    held = DaemonConfig.objects.filter(name=params.daemon).first()
    changes = checked(params.daemon, held, params.changes())
    # Names and paths are used as they are, so they are refused and not redacted; a checkout may lie in a home.
    refuse_secrets({"daemon": params.daemon, "fields": changes}, but=("home_user",))
    stored = put_daemon(context.write, params.daemon, changes)
    context.about(stored.entity.pk, daemon=params.daemon, switches=sorted(changes))
    return configured(params.daemon)


@operation(
    "daemon_status",
    title="Read how a daemon stands",
    effect="read",
    risk="low",
    scopes=("maintain", "operate"),
    route=Route("GET", "daemons/{daemon}"),
    toolset="triage",
    default=False,
)
def daemon_status(context: Context, params: DaemonStatusParams) -> DaemonStatus:
    """Read whether a daemon runs, what it is doing, which previews wait for release and what was handed to people."""
    return standing(params.daemon, context.now)


def configured(name: str) -> DaemonConfigured:
    """The answer that shows every switch."""
    row = DaemonConfig.objects.get(name=name)
    return DaemonConfigured(entity_id=row.pk, daemon_config=row.config.model_dump(mode="json"))


def checked(name: str, held: DaemonConfig | None, changes: dict[str, Any]) -> dict[str, Any]:
    """The changes, if the daemon is a whole one with them; refuses unknown switches and values by path."""
    if "name" in changes:
        raise InvalidInput.at("fields.name", "a daemon keeps its name")
    before = held.config.model_dump() if held else {"name": name}
    try:
        after = schemas.DaemonConfig.model_validate({**before, **changes})
    except ValidationError as error:
        problems = [{"path": ".".join(("fields", *map(str, e["loc"]))), "problem": e["msg"]} for e in error.errors()]
        told = f"{problems[0]['path']}: {problems[0]['problem']}"
        raise InvalidInput(
            told, hint=f"The switches are: {', '.join(SWITCHES)}.", details={"fields": problems}
        ) from None
    _refuse_filter(after.filter)
    _refuse_commands(after)
    if after.repo is not None and not after.repo.startswith("/"):
        raise InvalidInput.at("fields.repo", "must be the absolute path of a checkout on the workers' machine")
    whole = after.model_dump(mode="json")
    return {switch: whole[switch] for switch in changes}


def _refuse_filter(wanted: dict[str, Any]) -> None:
    """The language of subscriptions, and at least one condition."""
    unknown = sorted(wanted.keys() - FILTER_KEYS)
    if unknown:
        raise InvalidInput.at(f"fields.filter.{unknown[0]}", f"not one of {', '.join(sorted(FILTER_KEYS))}")
    for key, values in wanted.items():
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise InvalidInput.at(f"fields.filter.{key}", "must be a list of texts")
    if not any(wanted.values()):
        raise InvalidInput.at("fields.filter", "a filter without a condition would take every event")
    refuse_unknown_events(wanted.get("event_types", []))


def _refuse_commands(config: schemas.DaemonConfig) -> None:
    for switch, known in (("planner", PLANNERS), ("agent", AGENTS)):
        named = getattr(config, switch)
        if named is not None and named not in known:
            raise UnknownCommand(
                f"There is no {switch} {named} on this installation.",
                hint=f"Known: {', '.join(known) or 'none'}.",
                details={"field": f"fields.{switch}", "known": list(known)},
            )

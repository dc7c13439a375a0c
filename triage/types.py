"""The entity types `plan` and `daemon_config`, and their projections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import models
from pydantic import BaseModel

from neotoma.substrate.models import Entity
from neotoma.substrate.models.entities import Visibility
from neotoma.substrate.schema import EntityType, register_type
from triage import schemas
from triage.gates import is_safe
from triage.models import DaemonConfig, Plan


class PlanFields(BaseModel):
    """A plan as it is stored: what was decided (see `PlanDraft`), for whom, and what became of it."""

    issue_id: str
    daemon_id: str
    status: schemas.PlanStatus
    revision: int
    kind: schemas.PlanKind
    classification: schemas.Classification
    title: str
    steps: tuple[str, ...]
    files_suspected: tuple[str, ...] = ()
    files_expected: tuple[str, ...] = ()
    environment: schemas.EnvironmentFinding
    verdict: schemas.Verdict
    risk: schemas.Risk
    confidence: float
    gates: tuple[schemas.Gate, ...] = ()
    related_issues: tuple[schemas.ClusterEvidence, ...] = ()
    missing: tuple[schemas.MissingDetail, ...] = ()
    suspicions: tuple[schemas.Suspicion, ...] = ()
    base: str | None = None
    base_sha: str | None = None
    measurement: str | None = None
    answer: str | None = None
    decision_required: bool = False
    private: bool = True
    mirror: schemas.MirrorDecision | None = None
    tested_build: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    reason: str | None = None
    created_at: datetime


def project_plans(entities: Sequence[Entity]) -> None:
    """Bring the Plan table, and who may read the plans, in line with these snapshots."""
    _hide([entity for entity in entities if entity.snapshot.get("private") and entity.visibility != Visibility.PRIVATE])
    _upsert([_plan(entity) for entity in entities])


def _hide(entities: Sequence[Entity]) -> None:
    """A plan that turned out to be sensitive is private from now on."""
    for entity in entities:
        entity.visibility = Visibility.PRIVATE
    Entity.objects.filter(pk__in=[entity.pk for entity in entities]).update(visibility=Visibility.PRIVATE)


def project_daemons(entities: Sequence[Entity]) -> None:
    """Bring the DaemonConfig table in line with these snapshots."""
    _upsert([_daemon(entity) for entity in entities])


def _upsert(rows: Sequence[models.Model]) -> None:
    model = type(rows[0])
    columns = [field.attname for field in model._meta.concrete_fields if not field.primary_key]
    model._default_manager.bulk_create(rows, update_conflicts=True, unique_fields=["entity"], update_fields=columns)


def _plan(entity: Entity) -> Plan:
    fields = entity.snapshot
    return Plan(
        entity=entity,
        issue_id=fields["issue_id"],
        daemon_id=fields["daemon_id"],
        status=fields["status"],
        revision=fields["revision"],
        **{name: fields[name] for name in ("kind", "classification", "risk", "confidence", "steps")},
        environment_kind=fields["environment"]["kind"],
        verdict=fields["verdict"]["kind"],
        suspicious=bool(fields.get("suspicions")),
        safe=is_safe(schemas.Gate.model_validate(gate) for gate in fields.get("gates", [])),
        gates=fields.get("gates", []),
        files={"suspected": fields.get("files_suspected", []), "expected": fields.get("files_expected", [])},
        **{name: _fitting(name, fields.get(name)) for name in ("title", "base", "base_sha", "decided_by", "reason")},
        decided_at=_instant(fields.get("decided_at")),
        created_at=datetime.fromisoformat(fields["created_at"]),
        updated_at=entity.updated_at,
    )


def _daemon(entity: Entity) -> DaemonConfig:
    held = {name: entity.snapshot[name] for name in schemas.DaemonConfig.model_fields if name in entity.snapshot}
    config = schemas.DaemonConfig.model_validate(held).model_dump(mode="json")
    if entity.deleted_at is not None:
        config["active"] = False
    return DaemonConfig(entity=entity, **{**config, "repo": config["repo"] or "", "agent": config["agent"] or ""})


def _fitting(column: str, text: str | None) -> str:
    """As much of a text as its column takes; what stands for a secret may be longer than the secret was."""
    longest = {field.attname: field.max_length for field in Plan._meta.concrete_fields}
    return (text or "")[: longest[column]]


def _instant(text: Any) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


PLAN = register_type(
    EntityType(
        name="plan",
        description="What a daemon proposes to do about an issue, with its reasons, gates and state.",
        model=PlanFields,
        managed_by=("propose_plan", "approve_plan", "reject_plan", "ask_reporter"),
        indexed=frozenset({"status", "issue_id", "daemon_id", "kind", "classification"}),
        searchable=("title",),
        projection=project_plans,
    )
)
DAEMON_CONFIG = register_type(
    EntityType(
        name="daemon_config",
        description="The switches and budgets of one daemon.",
        model=schemas.DaemonConfig,
        identity=(("name",),),
        managed_by=("configure_daemon", "pause", "resume", "release_preview"),
        strict=True,
        searchable=("name",),
        projection=project_daemons,
    )
)

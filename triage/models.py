"""Plans and daemons as typed tables (projections), and the work rows: a case for each issue, a run for each try."""

from __future__ import annotations

from typing import Any, Self, get_args

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from neotoma.substrate.actors import Audience
from neotoma.substrate.filters import EventFilter
from neotoma.substrate.models import Entity
from triage import schemas

LIVE = ("queued", "running")
"""States of a run that has not ended."""


class DaemonConfig(models.Model):
    """One daemon's switches. `config` is the same in the words of the decisions, with every default."""

    entity = models.OneToOneField(Entity, primary_key=True, on_delete=models.CASCADE, related_name="daemon_config")
    name = models.CharField(max_length=40, unique=True)
    active = models.BooleanField(default=True)
    reporting_mode = models.CharField(max_length=10, default="consent")
    dry_run = models.BooleanField(default=True)
    auto_fix = models.BooleanField(default=False)
    max_prs_per_hour = models.PositiveIntegerField(default=5)
    max_prs_per_day = models.PositiveIntegerField(default=25)
    max_runs_per_day = models.PositiveIntegerField(default=200)
    max_cost_per_day = models.FloatField(default=20.0)
    dirty_tree_policy = models.CharField(max_length=10, default="abort")
    concurrency = models.PositiveSmallIntegerField(default=4)
    repo = models.CharField(max_length=500, blank=True)
    planner = models.CharField(max_length=60, default="heuristic")
    agent = models.CharField(max_length=60, blank=True)
    filter = models.JSONField(default=dict)
    released_kinds = models.JSONField(default=list)
    held_kinds = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(reporting_mode__in=get_args(schemas.ReportingMode)), name="daemon_config_mode_known"
            ),
            models.CheckConstraint(condition=Q(concurrency__gt=0), name="daemon_config_concurrency"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def config(self) -> schemas.DaemonConfig:
        named = {name: getattr(self, name) for name in schemas.DaemonConfig.model_fields}
        return schemas.DaemonConfig.model_validate({**named, "repo": self.repo or None, "agent": self.agent or None})

    @property
    def actor_key(self) -> str:
        """The key under which the daemon itself writes."""
        return f"daemon:{self.name}"

    @property
    def event_filter(self) -> EventFilter:
        return EventFilter.of(**self.filter)


class PlanQuerySet(models.QuerySet["Plan"]):
    def visible_to(self, audience: Audience) -> Self:
        """Plans whose entity the audience may see."""
        if audience.internal and audience.private:
            return self
        return self.filter(entity__in=Entity.objects.visible_to(audience))


class Plan(models.Model):
    """What a daemon proposes to do about one issue, reduced from the observations of its entity.

    `files`: `{suspected, expected}`. `base`: the branch or commit it builds on; `base_sha`: that commit when planned.
    `safe`: every gate said auto. `decided_by`: name of who approved or rejected it, for `reason`.
    """

    entity = models.OneToOneField(Entity, primary_key=True, on_delete=models.CASCADE, related_name="plan")
    issue = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="plans")
    daemon = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="daemon_plans")
    kind = models.CharField(max_length=10)
    title = models.CharField(max_length=300)
    status = models.CharField(max_length=14)
    revision = models.PositiveIntegerField()
    classification = models.CharField(max_length=12)
    environment_kind = models.CharField(max_length=16)
    verdict = models.CharField(max_length=26)
    risk = models.CharField(max_length=6)
    confidence = models.FloatField()
    suspicious = models.BooleanField(default=False)
    safe = models.BooleanField(default=False)
    gates = models.JSONField(default=list)
    steps = models.JSONField(default=list)
    files = models.JSONField(default=dict)
    base = models.CharField(max_length=255, blank=True)
    base_sha = models.CharField(max_length=64, blank=True)
    decided_by = models.CharField(max_length=120, blank=True)
    decided_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = PlanQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(status__in=get_args(schemas.PlanStatus)), name="plan_status_known"),
            models.CheckConstraint(condition=Q(kind__in=get_args(schemas.PlanKind)), name="plan_kind_known"),
            models.CheckConstraint(condition=Q(risk__in=get_args(schemas.Risk)), name="plan_risk_known"),
            models.CheckConstraint(condition=Q(revision__gt=0), name="plan_revision_positive"),
            models.CheckConstraint(condition=Q(confidence__range=(0, 1)), name="plan_confidence_share"),
        ]
        indexes = [
            models.Index(fields=["status", "-updated_at"], name="plan_by_status"),
            models.Index(fields=["daemon", "status", "-updated_at"], name="plan_by_daemon"),
            models.Index(fields=["kind", "-updated_at"], name="plan_by_kind"),
            models.Index(fields=["classification", "-updated_at"], name="plan_by_classification"),
            models.Index(fields=["environment_kind", "-updated_at"], name="plan_by_environment"),
            models.Index(fields=["verdict", "-updated_at"], name="plan_by_verdict"),
            models.Index(fields=["risk", "-updated_at"], name="plan_by_risk"),
            models.Index(fields=["-updated_at", "-entity"], name="plan_by_update"),
        ]

    def __str__(self) -> str:
        return self.title


class Case(models.Model):
    """One daemon's work on one issue.

    `due_at`: when it wants looking at; in the future while a worker holds it, and that time is the worker's claim.
    `wake_seq`: the last event that asked for a look; `last_seen`: up to where a look has seen.
    """

    daemon = models.ForeignKey(DaemonConfig, on_delete=models.CASCADE, related_name="cases")
    issue = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="cases")
    state = models.CharField(max_length=10, default="new")
    due_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=200, blank=True)
    classification = models.CharField(max_length=12, blank=True)
    preview: models.JSONField[Any, Any] = models.JSONField(null=True)
    plan = models.ForeignKey(Plan, null=True, on_delete=models.SET_NULL, related_name="cases")
    wake_seq = models.BigIntegerField(default=0)
    last_seen = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["daemon", "issue"], name="case_once"),
            models.CheckConstraint(condition=Q(state__in=get_args(schemas.CaseState)), name="case_state_known"),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="case_due", condition=Q(due_at__isnull=False)),
            models.Index(fields=["daemon", "state"], name="case_by_state"),
        ]

    def __str__(self) -> str:
        return f"case {self.pk} of {self.issue_id}"


class Run(models.Model):
    """One try to carry out one revision of a plan.

    `cause_seq`: the event that started it, so that the same event never starts two. `steps`: `[{at, name, detail}]`.
    `outcome`: what came of it, in one word. `cost`: US dollars. `deadline_at`: after it a running one counts as lost.
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="runs")
    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="runs")
    revision = models.PositiveIntegerField()
    cause_seq = models.BigIntegerField()
    state = models.CharField(max_length=10, default="queued")
    outcome = models.CharField(max_length=40, blank=True)
    error = models.CharField(max_length=200, blank=True)
    steps = models.JSONField(default=list)
    worktree = models.CharField(max_length=500, blank=True)
    cost = models.FloatField(default=0.0)
    queued_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    published_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["plan", "cause_seq"], name="run_cause_once"),
            models.UniqueConstraint(fields=["plan"], condition=Q(state__in=LIVE), name="run_live_once"),
            models.CheckConstraint(condition=Q(state__in=get_args(schemas.RunState)), name="run_state_known"),
        ]
        indexes = [
            models.Index(fields=["state", "queued_at"], name="run_by_state"),
            models.Index(fields=["case", "-queued_at"], name="run_of_case"),
            models.Index(fields=["started_at"], name="run_started", condition=Q(started_at__isnull=False)),
            models.Index(fields=["published_at"], name="run_published", condition=Q(published_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.plan_id}"

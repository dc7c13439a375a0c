"""The words of triage: closed lists, reports, findings and plans. All frozen, all storable as JSON."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

Kind = Literal["bug", "performance", "enhancement", "question", "security"]
Classification = Literal["bug", "performance", "enhancement", "question", "security", "test"]
EnvironmentKind = Literal["public_release", "local_commit", "local_branch", "unknown"]
VerdictKind = Literal["already_fixed_in", "present_on_branch", "conflicts_with_constraint", "open"]
Reproducible = Literal["yes", "no", "unknown"]
GateDecision = Literal["refuse", "ask", "auto"]
ReportingMode = Literal["off", "consent", "proactive"]
Risk = Literal["low", "medium", "high"]
PlanKind = Literal["fix", "optimise", "reproduce", "verify", "proposal", "answer", "cleanup", "advisory"]
PlanStatus = Literal[
    "draft", "awaiting_input", "proposed", "approved", "executing", "ready_to_ship",
    "shipped", "landed", "rejected", "superseded", "failed", "abandoned",
]  # fmt: skip
CaseState = Literal["new", "previewed", "waiting", "planned", "queued", "running", "done", "handed_off"]
RunState = Literal["queued", "running", "succeeded", "failed", "stopped", "timed_out"]
AuthorKind = Literal["reporter", "agent", "maintainer", "daemon", "mirror", "system"]
Visibility = Literal["private", "public"]

MAX_COUNT = 1_000_000
"""Upper end of every budget: far more than anybody means, and every database can hold it."""


class Word(BaseModel):
    """Base of every shape here: it never changes and it refuses what it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReporterFields(Word):
    """The reporter's six environment fields, as submitted; None where the reporter said nothing."""

    reporter_git_sha: str | None = None
    reporter_git_ref: str | None = None
    reporter_channel: str | None = None
    reporter_app_version: str | None = None
    reporter_ci_run_id: str | None = None
    reporter_patch_source_id: str | None = None


class ThreadMessage(Word):
    """One message of the thread, oldest first in a report."""

    author_kind: AuthorKind
    body: str


class LinkedEntity(Word):
    """An entity that the report refers to; `summary` is one line of its snapshot."""

    entity_id: str
    entity_type: str = ""
    summary: str = ""


class Report(ReporterFields):
    """Everything that triage reads of one issue. Its text is untrusted."""

    title: str
    body: str
    entity_id: str = ""
    issue_number: int | None = None
    kind: Kind | None = None
    labels: tuple[str, ...] = ()
    visibility: Visibility = "private"
    messages: tuple[ThreadMessage, ...] = ()
    linked_entities: tuple[LinkedEntity, ...] = ()

    @property
    def reporter_text(self) -> str:
        """Title, body and the reporter's own messages: what describes the problem."""
        own = (message.body for message in self.messages if message.author_kind == "reporter")
        return "\n".join((self.title, self.body, *own))

    @property
    def untrusted_text(self) -> str:
        """Everything on the thread that neither the maintainer's side nor the system wrote."""
        others = (m.body for m in self.messages if m.author_kind in ("reporter", "agent", "mirror"))
        return "\n".join((self.title, self.body, *self.labels, *others))


class ClassificationFinding(Word):
    classification: Classification
    confidence: float = Field(ge=0, le=1)
    evidence: tuple[str, ...] = ()


class EnvironmentFinding(Word):
    """`conflicts` names fields that contradict each other or the repository; `version` is the release meant."""

    kind: EnvironmentKind
    sha: str | None = None
    branch: str | None = None
    version: str | None = None
    conflicts: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


class Verdict(Word):
    """What to know before work starts. Only the field that belongs to `kind` is set."""

    kind: VerdictKind
    fixed_in: str | None = None
    branch: str | None = None
    document: str | None = None
    reproducible: Reproducible = "unknown"
    evidence: tuple[str, ...] = ()


class ClusterEvidence(Word):
    """Another open issue that is probably the same problem, and why."""

    entity_id: str
    issue_number: int | None = None
    score: float = Field(ge=0, le=1)
    reasons: tuple[str, ...] = ()


class MissingDetail(Word):
    """One thing to ask the reporter for; `field` is the parameter or heading that the answer belongs under."""

    field: str
    question: str
    reason: str


class Suspicion(Word):
    """Text that talks to the machinery; `excerpt` is shown to people with invisible characters made visible."""

    name: str
    excerpt: str


class Gate(Word):
    name: str
    decision: GateDecision
    reason: str
    paths: tuple[str, ...] = ()


class SuspectedFile(Word):
    path: str
    score: float
    reasons: tuple[str, ...] = ()


class MirrorDecision(Word):
    wanted: bool
    reason: str


class PlanDraft(Word):
    """A plan before it is stored. `files_expected` may change too (tests, changelog); other files stop and ask."""

    kind: PlanKind
    classification: Classification
    title: str
    steps: tuple[str, ...]
    files_suspected: tuple[str, ...] = ()
    files_expected: tuple[str, ...] = ()
    environment: EnvironmentFinding
    verdict: Verdict
    risk: Risk
    confidence: float = Field(ge=0, le=1)
    gates: tuple[Gate, ...] = ()
    related_issues: tuple[ClusterEvidence, ...] = ()
    missing: tuple[MissingDetail, ...] = ()
    suspicions: tuple[Suspicion, ...] = ()
    base: str | None = None
    measurement: str | None = None
    answer: str | None = None
    decision_required: bool = False
    private: bool = True

    @property
    def suspicious(self) -> bool:
        return bool(self.suspicions)

    @property
    def sensitive(self) -> bool:
        """Whether only those may read it who read private records: a hole is nobody else's business."""
        return self.private or self.kind == "advisory" or self.classification == "security"

    @property
    def status(self) -> PlanStatus:
        """Where the stored plan starts."""
        return "awaiting_input" if self.missing else "proposed"


class Assessment(Word):
    """The whole decision on one report, before anything is stored."""

    classification: ClassificationFinding
    environment: EnvironmentFinding
    verdict: Verdict
    cluster: tuple[ClusterEvidence, ...]
    mirror: MirrorDecision
    plan: PlanDraft
    safe: bool


class Preview(Word):
    """What a dry run would have done; the only thing that it writes."""

    classification: Classification
    would_ask: str | None = None
    would_plan: PlanDraft
    would_mirror: MirrorDecision
    would_branch: str | None = None


def _issues_only() -> dict[str, JsonValue]:
    return {"entity_types": ["issue"]}


class DaemonConfig(Word):
    """One daemon's switches and budgets. `filter` is in the language of subscriptions; costs are US dollars."""

    name: str = Field(default="formica", max_length=40)
    active: bool = True
    reporting_mode: ReportingMode = "consent"
    dry_run: bool = True
    auto_fix: bool = False
    max_prs_per_hour: int = Field(default=5, ge=0, le=MAX_COUNT)
    dirty_tree_policy: Literal["abort"] = "abort"
    concurrency: int = Field(default=4, ge=1, le=64)
    repo: str | None = Field(default=None, max_length=500)
    planner: str = Field(default="heuristic", max_length=60)
    agent: str | None = Field(default=None, max_length=60)
    filter: dict[str, JsonValue] = Field(default_factory=_issues_only)
    released_kinds: tuple[Classification, ...] = ()
    held_kinds: tuple[Classification, ...] = ()
    max_prs_per_day: int = Field(default=25, ge=0, le=MAX_COUNT)
    max_runs_per_day: int = Field(default=200, ge=0, le=MAX_COUNT)
    max_cost_per_day: float = Field(default=20.0, ge=0, le=MAX_COUNT, allow_inf_nan=False)

    def dry_run_for(self, classification: Classification) -> bool:
        """True until the preview of this kind was released."""
        return self.dry_run and classification not in self.released_kinds

    def auto_fix_for(self, classification: Classification) -> bool:
        """False for a kind whose pull request was rejected or reverted, until a person resets it."""
        return self.auto_fix and classification not in self.held_kinds

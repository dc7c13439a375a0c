"""The entity types of threads and submission configs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from neotoma.submissions.models import Message, SubmissionConfig
from neotoma.submissions.provenance import FIELDS
from neotoma.substrate import rows
from neotoma.substrate.models import Entity
from neotoma.substrate.schema import EntityType, register_type


class ConversationFields(BaseModel):
    title: str = Field(description="What the thread is about.")
    subject_id: str = Field(description="Id of the submission.")
    thread_kind: Literal["agent_agent", "human_agent", "multi_party"] = Field("agent_agent", description="Who talks.")


class MessageFields(BaseModel):
    """One message; the author is a fact of its own, since a mirror or an import may store it for somebody else."""

    thread_id: str
    conversation_id: str
    position: int = Field(ge=1)
    author_key: str
    author_kind: Literal["reporter", "agent", "maintainer", "daemon", "mirror", "system"]
    author_name: str = ""
    body: str
    asks: bool = False
    missing: list[dict[str, Any]] | None = None
    verification: Literal["confirmed", "still_failing"] | None = None
    reporter_git_sha: str | None = None
    reporter_git_ref: str | None = None
    reporter_channel: str | None = None
    reporter_app_version: str | None = None
    reporter_app_version_source: str | None = None
    reporter_ci_run_id: str | None = None
    reporter_patch_source_id: str | None = None
    created_at: datetime


class SubmissionConfigFields(BaseModel):
    config_key: str
    target_entity_type: str
    access_policy: Literal["closed", "submit_only", "submitter_scoped", "read_only", "open"] = "closed"
    active: bool = True
    threading: bool = True
    guest_read_back: bool = True


def project_messages(entities: Sequence[Entity]) -> None:
    """Bring the Message table in line with these snapshots."""
    rows.upsert([_message(entity) for entity in entities])


def _message(entity: Entity) -> Message:
    fields = entity.snapshot
    return Message(
        entity_id=entity.pk,
        thread_id=fields["thread_id"],
        position=fields["position"],
        author_key=fields["author_key"],
        author_kind=fields["author_kind"],
        author_name=fields.get("author_name", ""),
        body=fields["body"],
        asks=fields.get("asks", False),
        missing=fields.get("missing"),
        verification=fields.get("verification", ""),
        reporter={name: fields[name] for name in (*FIELDS, "reporter_app_version_source") if name in fields},
        withdrawn=entity.deleted_at is not None,
        created_at=datetime.fromisoformat(fields["created_at"]),
    )


def project_configs(entities: Sequence[Entity]) -> None:
    """Bring the SubmissionConfig table in line with these snapshots."""
    for entity in entities:
        fields = {
            name: entity.snapshot[name] for name in SubmissionConfigFields.model_fields if name in entity.snapshot
        }
        if entity.deleted_at is not None:
            fields["active"] = False
        SubmissionConfig.objects.update_or_create(entity=entity, defaults=fields)


CONVERSATION = register_type(
    EntityType(
        name="conversation",
        description="The thread of a submission.",
        model=ConversationFields,
        managed_by=("submit_issue",),
        searchable=("title",),
    )
)
CONVERSATION_MESSAGE = register_type(
    EntityType(
        name="conversation_message",
        description="One message of a thread.",
        model=MessageFields,
        managed_by=("add_issue_message", "withdraw_message", "restore_message"),
        searchable=("body",),
        projection=project_messages,
    )
)
SUBMISSION_CONFIG = register_type(
    EntityType(
        name="submission_config",
        description="Who may submit a type, and how its thread behaves.",
        model=SubmissionConfigFields,
        identity=(("config_key",),),
        managed_by=("configure_submissions",),
        projection=project_configs,
    )
)

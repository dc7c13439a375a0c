"""Open a type for submissions, or close it."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from django.db import IntegrityError
from pydantic import Field

from neotoma.operations.context import Context
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Shape, WriteParams
from neotoma.submissions.config import BUILT_IN
from neotoma.submissions.models import SubmissionConfig
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import Conflict, InvalidInput, WriteRace
from neotoma.substrate.schema import type_of

TYPE_NAME = r"^[a-z][a-z0-9_]{0,62}$"
AccessPolicy = Literal["closed", "submit_only", "submitter_scoped", "read_only", "open"]


class ConfigureSubmissionsParams(WriteParams):
    config_key: str = Field(pattern=TYPE_NAME, description="Names the config; the same key changes it.")
    target_entity_type: str | None = Field(
        None, pattern=TYPE_NAME, description="Type that it opens or closes; a new config needs it.", examples=["ticket"]
    )
    access_policy: AccessPolicy | None = Field(
        None, description="Whom it lets in without a token: submit_only, submitter_scoped and open do; default closed."
    )
    active: bool | None = Field(None, description="Whether it counts; one active config a type.")
    threading: bool | None = Field(None, description="Whether a submission has a thread.")
    guest_read_back: bool | None = Field(None, description="Whether a guest token reads the submission again.")


class SubmissionsConfigured(Shape):
    entity_id: str = Field(description="Id of the config.")
    submission_config: dict[str, Any] = Field(description="All its fields as they are now.")
    replayed: bool = Field(False, description="True for a repeat.")


class TypeConfiguredTwice(Conflict):
    """Another active config speaks for the same type."""

    error_code: ClassVar[str] = "SUBMISSION_TYPE_TAKEN"
    hint = "Change that one, or switch it off first with active: false."


@operation(
    "configure_submissions",
    title="Configure who may submit a type",
    effect="write",
    risk="mid",
    undo="configure_submissions",
    restorable=True,
    scopes=("operate",),
    route=Route("POST", "submissions/configs"),
    toolset="admin",
)
def configure_submissions(context: Context, params: ConfigureSubmissionsParams) -> SubmissionsConfigured:
    """Open a type for submissions, or close it. What is not named stays as it is.

    Undo: configure_submissions with the values before.
    """
    held = SubmissionConfig.objects.filter(config_key=params.config_key).select_related("entity").first()
    changes = params.model_dump(exclude_none=True, exclude={"idempotency_key"})
    whole = {**(held.entity.snapshot if held else {}), **changes}
    _refuse_wrong(whole, params.config_key)
    try:
        entity = context.write.put([Draft("submission_config", changes, entity_id=held.pk if held else "")])[0].entity
    except IntegrityError as error:
        raise WriteRace("another transaction configured the same type") from error
    context.about(entity.pk, config_key=params.config_key, fields=sorted(changes))
    return SubmissionsConfigured(entity_id=entity.pk, submission_config=entity.snapshot)


def _refuse_wrong(config: dict[str, Any], key: str) -> None:
    """A config names a type that may be submitted, and no other active one speaks for it."""
    kind = config.get("target_entity_type")
    if kind is None:
        raise InvalidInput.at("target_entity_type", "a new config needs it")
    if type_of(kind).managed_by and kind not in BUILT_IN:
        raise InvalidInput.at("target_entity_type", f"{kind} is written only by its own operations")
    others = SubmissionConfig.objects.filter(target_entity_type=kind, active=True).exclude(config_key=key)
    if config.get("active", True) and (other := others.first()):
        raise TypeConfiguredTwice(
            f"{kind} is configured by {other.config_key}.", details={"taken_by": other.config_key}
        )

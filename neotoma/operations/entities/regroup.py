"""Merge entities that are one thing, split an entity that is two."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.shapes import EntityId, observation_key
from neotoma.operations.reasons import Reason, redacted
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import Shape, WriteParams
from neotoma.substrate import regrouping
from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.models import Entity

ObservationId = Annotated[str, Field(pattern=r"^obs_[1-9][0-9]{0,17}$")]


class MergeParams(WriteParams):
    from_entity_id: str = Field(
        pattern=r"^ent_[0-9a-f]{24}$", description="The one that goes; its id leads to the other from now on."
    )
    to_entity_id: str = Field(pattern=r"^ent_[0-9a-f]{24}$", description="The one that stays.")
    reason: str | None = Reason


class SplitParams(WriteParams):
    entity_id: str = EntityId
    observation_ids: list[ObservationId] = Field(
        default_factory=list,
        max_length=500,
        description="Observations that are about something else, from list_observations; a new entity gets them.",
    )
    merged_entity_id: str | None = Field(
        None, pattern=r"^ent_[0-9a-f]{24}$", description="Instead: an entity merged into this one, to be itself again."
    )
    reason: str | None = Reason


class Merged(Shape):
    entity_id: str = Field(description="The one that stays.")
    merged_entity_id: str = Field(description="The one that went; its id still leads here.")
    entity_type: str = Field(description="Their type.")
    action: Literal["merged", "unchanged"] = Field(description="unchanged: it had been merged before.")
    fields_changed: list[str] = Field(default_factory=list, description="Fields whose value is another one now.")
    observation_count: int = Field(description="How many facts count for it now.")
    replayed: bool = Field(False, description="True for a repeat.")


class Split(Shape):
    entity_id: str = Field(description="The one that was split.")
    new_entity_id: str = Field(description="The one that is itself now.")
    entity_type: str = Field(description="Their type.")
    fields_changed: list[str] = Field(default_factory=list, description="Fields of the first whose value changed.")
    observation_count: int = Field(description="How many facts count for the first now.")
    new_observation_count: int = Field(description="How many facts count for the second.")
    replayed: bool = Field(False, description="True for a repeat.")


@operation(
    "merge_entities",
    title="Merge two entities",
    effect="write",
    risk="mid",
    undo="split_entity",
    restorable=True,
    scopes=("write", "report"),
    route=Route("POST", "entities/merge"),
    toolset="substrate",
)
def merge_entities(context: Context, params: MergeParams) -> Merged:
    """Make two entities of one type one: the facts of both count, and the id that goes leads to the one that stays, for
    reads, writes, relationships, subscriptions and guest grants.

    To find duplicates, search with retrieve_entities. Undo: split_entity with merged_entity_id.
    """
    source = targets.writable(context, params.from_entity_id, path="from_entity_id")
    target = targets.writable(context, params.to_entity_id, path="to_entity_id")
    for entity, path in ((source, "from_entity_id"), (target, "to_entity_id")):
        targets.refuse_managed(entity.entity_type, path)
    context.about(target.pk, merged=source.pk, reason=redacted(params.reason))
    if source.pk == target.pk:
        return _merged_before(params, target)
    stored = regrouping.merge(context.write, source.pk, target.pk)
    return Merged(
        entity_id=target.pk,
        merged_entity_id=source.pk,
        entity_type=target.entity_type,
        action="merged",
        fields_changed=sorted(stored.changed),
        observation_count=stored.entity.observation_count,
    )


@operation(
    "split_entity",
    title="Split an entity",
    effect="write",
    risk="mid",
    undo="merge_entities",
    restorable=True,
    scopes=("write", "report"),
    route=Route("POST", "entities/{entity_id}/split"),
    toolset="substrate",
)
def split_entity(context: Context, params: SplitParams) -> Split:
    """Take apart what is not one thing: move some observations to a new entity, or let a merged entity be itself again.

    Both are reduced anew; relationships stay, but for those stated of the merged one. Undo: merge_entities.
    """
    if bool(params.observation_ids) == (params.merged_entity_id is not None):
        raise InvalidInput.at("observation_ids", "give either observation_ids or merged_entity_id")
    whole = targets.writable(context, params.entity_id)
    targets.refuse_managed(whole.entity_type, "entity_id")
    if params.merged_entity_id is not None:
        piece = targets.visible(context, params.merged_entity_id)
        targets.refuse_foreign(context, [("merged_entity_id", piece.pk)])
        stayed, moved = regrouping.part(context.write, whole.pk, piece.pk)
    else:
        keys = [observation_key(text) for text in params.observation_ids]
        stayed, moved = regrouping.split(context.write, whole.pk, keys, targets.scope(context), "observation_ids")
    context.about(whole.pk, split_off=moved.entity.pk, reason=redacted(params.reason))
    return Split(
        entity_id=whole.pk,
        new_entity_id=moved.entity.pk,
        entity_type=whole.entity_type,
        fields_changed=sorted(stayed.changed),
        observation_count=stayed.entity.observation_count,
        new_observation_count=moved.entity.observation_count,
    )


def _merged_before(params: MergeParams, target: Entity) -> Merged:
    """Both ids lead to one entity: fine when that is what was asked for, else a refusal that says why."""
    if params.from_entity_id == params.to_entity_id:
        raise InvalidInput.at("to_entity_id", "is the same entity")
    if params.from_entity_id == target.pk:
        raise regrouping.CannotRegroup.because(
            "cycle",
            f"{params.to_entity_id} is merged into {target.pk} already.",
            hint="Split it off first with split_entity, or leave it as it is.",
            entity_id=target.pk,
        )
    return Merged(
        entity_id=target.pk,
        merged_entity_id=params.from_entity_id,
        entity_type=target.entity_type,
        action="unchanged",
        observation_count=target.observation_count,
    )

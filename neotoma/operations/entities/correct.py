"""Correct what is stored: a correction wins over every ordinary fact until a newer correction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from neotoma.operations import targets
from neotoma.operations.context import Context
from neotoma.operations.entities.shapes import ENTITY_TYPE, EntityId
from neotoma.operations.entities.storing import warnings_of, warnings_of_unknown
from neotoma.operations.registry import Route, operation
from neotoma.operations.shapes import NamedWarning, Shape, WriteParams
from neotoma.substrate.checking import refuse_unknown
from neotoma.substrate.drafts import Draft, Stored
from neotoma.substrate.errors import InvalidInput, NotFound, Refusal
from neotoma.substrate.models import Entity
from neotoma.substrate.schema import type_of

FieldName = Field(min_length=1, max_length=200, description="Name of the field.", examples=["due_date"])
NewValue = Field(description="What it is. null clears it; for a merged array, {add, remove} changes it.")
ItsType = Field(None, pattern=ENTITY_TYPE, description="Refuses the call if the entity is of another type.")


class Correction(Shape):
    """One field of one entity."""

    entity_id: str = EntityId
    field: str = FieldName
    value: Any = NewValue
    entity_type: str | None = ItsType


class CorrectParams(WriteParams):
    entity_id: str = EntityId
    field: str = FieldName
    value: Any = NewValue
    entity_type: str | None = ItsType


class CorrectManyParams(WriteParams):
    corrections: list[Correction] = Field(min_length=1, max_length=200, description="1 to 200, done in this order.")


class Corrected(Shape):
    entity_id: str = Field(description="Id of the entity; another one than given when it was merged.")
    entity_type: str = Field(description="Its type.")
    field: str = Field(description="The field.")
    value: Any = Field(None, description="What it is now; absent when it was cleared.")
    observation_id: str = Field(description="Id of the correction.")
    action: str = Field(description="updated; unchanged when it had this value, which is now sure to stay.")
    warnings: list[NamedWarning] = Field(default_factory=list, description="What to know about it.")


class CorrectedOne(Corrected):
    replayed: bool = Field(False, description="True for a repeat.")


class CorrectedMany(Shape):
    results: list[Corrected] = Field(description="One for each correction, in order.")
    replayed: bool = Field(False, description="True for a repeat.")


@operation(
    "correct",
    title="Correct a field",
    effect="write",
    risk="mid",
    undo="correct",
    restorable=True,
    scopes=("write", "report"),
    route=Route("POST", "entities/{entity_id}/correct"),
    toolset="substrate",
)
def correct(context: Context, params: CorrectParams) -> CorrectedOne:
    """Set one field of an entity for good: whatever is stored later, it keeps this value until it is corrected again.

    For mistakes. To add what is new, use store; for many, correct_many. Undo: correct it back.
    """
    item = Correction(**params.model_dump(exclude={"idempotency_key"}))
    [draft] = _drafts(context, [item], [""])
    [stored] = _put(context, [draft])
    context.about(stored.entity.pk, field=item.field)
    return CorrectedOne(**dict(_corrected(item, stored)))


@operation(
    "correct_many",
    title="Correct many fields",
    effect="write",
    risk="mid",
    undo="correct_many",
    restorable=True,
    scopes=("write", "report"),
    route=Route("POST", "corrections"),
    toolset="substrate",
)
def correct_many(context: Context, params: CorrectManyParams) -> CorrectedMany:
    """Correct fields of many entities in one call, all or none, as correct does.

    A refusal names each correction that cannot be done (corrections.N). Undo: correct them back.
    """
    items = params.corrections
    drafts = _drafts(context, items, [f"corrections.{position}" for position in range(len(items))])
    stored = _put(context, drafts)
    context.about(stored[0].entity.pk, corrections=len(stored))
    return CorrectedMany(results=[_corrected(item, one) for item, one in zip(items, stored, strict=True)])


def _drafts(context: Context, items: Sequence[Correction], paths: Sequence[str]) -> list[Draft]:
    """Checked, in order. Refuses with what is wrong with the first one; `details.refusals` has all of them."""
    held = targets.readable_many(context, [item.entity_id for item in items])
    drafts, refusals = [], []
    for item, path in zip(items, paths, strict=True):
        try:
            drafts.append(_draft(context, held, item, path))
        except Refusal as refusal:
            refusals.append(refusal)
    if refusals:
        if len(items) > 1:
            refusals[0].details["refusals"] = [{**one.body(), "details": dict(one.details)} for one in refusals]
        raise refusals[0]
    return drafts


def _put(context: Context, drafts: Sequence[Draft]) -> list[Stored]:
    stored = context.write.put(drafts)
    for draft, one in zip(drafts, stored, strict=True):
        targets.still_itself(draft.entity_id or "", one.entity)
    return stored


def _draft(context: Context, held: Mapping[str, Entity], item: Correction, path: str) -> Draft:
    dot = f"{path}." if path else ""
    entity = held.get(item.entity_id)
    if entity is None:
        details = {"path": f"{dot}entity_id", "entity_id": item.entity_id}
        raise NotFound(f"{dot}entity_id: there is no entity {item.entity_id} that you can see.", details=details)
    targets.refuse_foreign_entity(context, entity, f"{dot}entity_id")
    targets.refuse_managed(entity.entity_type, f"{dot}entity_id")
    if item.entity_type not in (None, entity.entity_type):
        raise InvalidInput.at(f"{dot}entity_type", f"{entity.pk} is a {entity.entity_type}")
    kind = type_of(entity.entity_type)
    draft = Draft(
        entity.entity_type, {item.field: item.value}, entity_id=entity.pk, kind="correction", path=path or "value"
    )
    refuse_unknown(kind, draft)
    kind.validate(draft.fields, draft.path)
    return draft


def _corrected(item: Correction, stored: Stored) -> Corrected:
    entity = stored.entity
    shown = {**entity.raw_fragments, **type_of(entity.entity_type).shown(entity.snapshot)}
    return Corrected(
        entity_id=entity.pk,
        entity_type=entity.entity_type,
        field=item.field,
        value=shown.get(item.field),
        observation_id=f"obs_{stored.observation_id}",
        action=stored.action,
        warnings=[*warnings_of(stored), *warnings_of_unknown(stored)],
    )

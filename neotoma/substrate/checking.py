"""What is wrong with a draft, and what its writer should know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from neotoma.substrate.canonical import same
from neotoma.substrate.drafts import Draft, Warned
from neotoma.substrate.errors import ExpectationFailed, InvalidInput
from neotoma.substrate.models import Entity
from neotoma.substrate.schema import EntityType

SHOWN_CHARS = 60
"""Longer values are in the refusal's details only, not in its sentence."""


def refuse_unknown(kind: EntityType, draft: Draft) -> None:
    unknown = kind.undeclared(draft.fields)
    if kind.strict and unknown:
        raise InvalidInput(
            f"{kind.name} does not declare: {', '.join(unknown)}.",
            hint="Leave the fields out, or extend the entity type first.",
            details={"fields": [{"path": f"{draft.path}.{name}", "problem": "not declared"} for name in unknown]},
        )


def check_expectation(entity: Entity, draft: Draft) -> None:
    values = {**entity.raw_fragments, **entity.snapshot}
    for name, wanted in (draft.expect or {}).items():
        current = values.get(name)
        if not same(current, wanted):
            raise ExpectationFailed(
                f"{draft.path}: {name} {_differs(current, wanted)}.",
                details={
                    "path": f"{draft.path}.expect.{name}",
                    "entity_id": entity.pk,
                    "field": name,
                    "expected": wanted,
                    "current": current,
                },
            )


def _differs(current: object, wanted: object) -> str:
    shown = [json.dumps(value, ensure_ascii=False, default=str) for value in (current, wanted)]
    if max(map(len, shown)) > SHOWN_CHARS:
        return "is not what was expected"
    return "is {}, not {}".format(*shown)


def noteworthy(draft: Draft, before: Mapping[str, Any], entity: Entity, observation: int) -> list[Warned]:
    """What a fact did that its writer may not have meant: a null that cleared, a value that another one outranks."""
    now = {**entity.raw_fragments, **entity.snapshot}
    found = []
    if entity.deleted_at is not None and draft.kind in ("store", "correction"):
        found.append(Warned("ENTITY_DELETED", f"{entity.pk} is deleted; restore_entity brings it back with this."))
    for name, value in draft.fields.items():
        won = entity.provenance[name]["observation"] == observation
        if won and value is None and before.get(name) is not None:
            found.append(
                Warned("NULL_CLEARED_FIELD", f"{name} was cleared.", field=name, details={"previous": before[name]})
            )
        elif not won and now.get(name) != value:
            found.append(_outranked(name, entity.provenance[name]))
    return found


def _outranked(name: str, holder: Mapping[str, Any]) -> Warned:
    corrected = bool(holder["rank"][0])
    by = "a correction; only correct changes it" if corrected else "a fact of higher rank"
    return Warned(
        "OUTRANKED_FIELD",
        f"{name} keeps its value, which is {by}.",
        field=name,
        details={"observation_id": f"obs_{holder['observation']}", "correction": corrected},
    )

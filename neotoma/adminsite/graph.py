"""What an entity is related to, and how it came to be what it is, for the eyes of one audience."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from neotoma.substrate.actors import Audience
from neotoma.substrate.grouping import grouping_of
from neotoma.substrate.models import Entity, Relationship
from neotoma.substrate.schema import type_of

MOST = 100
"""Edges, and steps of a history, on one page."""
_VERBS = {
    "REFERS_TO": ("refers to", "referred to by"),
    "PART_OF": ("part of", "has the part"),
    "DUPLICATE_OF": ("duplicate of", "repeated by"),
    "SUPERSEDES": ("supersedes", "superseded by"),
}
SHOWN = 300
"""Characters of a value in a history."""
NOT_SHOWN = "not shown"
"""In place of a value that the entity's type hides."""


@dataclass(frozen=True, slots=True)
class Link:
    """An edge seen from one end. `verb` reads from this end, e.g. `refers to` or `referred to by`."""

    relationship_type: str
    outgoing: bool
    entity: Entity

    @property
    def verb(self) -> str:
        word = self.relationship_type.lower().replace("_", " ")
        there, back = _VERBS.get(self.relationship_type, (word, f"{word}, from"))
        return there if self.outgoing else back


@dataclass(frozen=True, slots=True)
class Step:
    """One observation: who stated what, when."""

    number: int
    kind: str
    actor_name: str
    actor_kind: str
    at: datetime
    fields: Sequence[tuple[str, str]]


def links(entity_ids: Iterable[str], audience: Audience, *, hide: Iterable[str] = ()) -> list[Link]:
    """Edges of these entities whose other end is visible, one for each type and other end."""
    ids = set(entity_ids)
    edges = Relationship.objects.filter(deleted_at=None)
    found = [(edge, True) for edge in edges.filter(source_id__in=ids).order_by("created_at", "pk")[:MOST]]
    found += [(edge, False) for edge in edges.filter(target_id__in=ids).order_by("created_at", "pk")[:MOST]]
    ends = {edge.target_id if outgoing else edge.source_id for edge, outgoing in found} - ids - set(hide)
    seen = Entity.objects.visible_to(audience).alive().in_bulk(ends)
    made = {}
    for edge, outgoing in found:
        other = seen.get(edge.target_id if outgoing else edge.source_id)
        if other is not None:
            made[edge.relationship_type, outgoing, other.pk] = Link(edge.relationship_type, outgoing, other)
    return list(made.values())


def history(entity: Entity, most: int = MOST) -> list[Step]:
    """The newest observations, newest first; of what the type hides only that it was stated."""
    hidden = type_of(entity.entity_type).hidden
    return [
        Step(
            row.pk,
            row.kind,
            row.actor_name or row.actor_key,
            row.actor_kind,
            row.observed_at,
            [(name, NOT_SHOWN if name in hidden else brief(value)) for name, value in row.fields.items()],
        )
        for row in grouping_of(entity).observations().order_by("-pk")[:most]
    ]


def brief(value: Any) -> str:
    """A value on one line, cut where it gets long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"

"""What happened to an entity: facts, edges and decisions about identity, in the order in which they were stored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from heapq import merge
from typing import Any, Literal

from django.db.models import Q, QuerySet

from neotoma.substrate.actors import Audience
from neotoma.substrate.cursors import TOTAL_CAP
from neotoma.substrate.grouping import Grouping, grouping_of
from neotoma.substrate.models import Entity, Observation, Regrouping, Relationship, RelationshipObservation
from neotoma.substrate.models.entities import seen_by

What = Literal[
    "observation",
    "correction",
    "deletion",
    "restoration",
    "relationship.created",
    "relationship.deleted",
    "relationship.restored",
    "merge",
    "split",
]
Order = Literal["asc", "desc"]
Position = tuple[int, ...]
"""The last key that was read of each source, 0 for none."""
_FACTS: dict[str, What] = {
    "store": "observation",
    "correction": "correction",
    "deletion": "deletion",
    "restoration": "restoration",
}
_EDGES: dict[str, What] = {
    "store": "relationship.created",
    "deletion": "relationship.deleted",
    "restoration": "relationship.restored",
}
_DECISIONS: dict[str, What] = {"merge": "merge", "part": "split", "split": "split"}


@dataclass(frozen=True, slots=True)
class Question:
    """Whose timeline, for whose eyes; no `whats` means everything. `since` and `until` are times of storing."""

    entity: Entity
    audience: Audience
    whats: Collection[What] = ()
    since: datetime | None = None
    until: datetime | None = None
    order: Order = "asc"


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that happened. `source` and `key` say where it stands; `entity_ids`: what was merged or split."""

    at: datetime
    what: What
    source: int
    key: int
    actor_key: str
    actor_kind: str = ""
    actor_name: str = ""
    observed_at: datetime | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    edge: Relationship | None = None
    entity_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    """One table, read in the order of its keys."""

    rows: QuerySet[Any]
    moment: Callable[[Any, int], Moment]


def moments(question: Question, after: Position, limit: int) -> list[Moment]:
    """The next moments, in order; one more than `limit` when there are more."""
    sources = _sources(question)
    sign, step = ("-", "lt") if question.order == "desc" else ("", "gt")
    streams = []
    for number, (source, last) in enumerate(zip(sources, after, strict=True)):
        rows = source.rows.filter(**{f"pk__{step}": last}) if last else source.rows
        streams.append([source.moment(row, number) for row in rows.order_by(f"{sign}pk")[: limit + 1]])
    # Each source keeps the order of its keys; times only say how the sources interleave.
    merged = merge(*streams, key=lambda moment: moment.at, reverse=question.order == "desc")
    return [moment for moment, _ in zip(merged, range(limit + 1), strict=False)]


def count(question: Question) -> int:
    """How many moments there are, exact to `TOTAL_CAP`."""
    return sum(source.rows.order_by().values("pk")[: TOTAL_CAP + 1].count() for source in _sources(question))


def start() -> Position:
    return (0, 0, 0, 0)


def position(after: Position, taken: Sequence[Moment]) -> Position:
    """Where to go on when these were taken."""
    places = list(after)
    for moment in taken:
        places[moment.source] = moment.key
    return tuple(places)


def _sources(question: Question) -> list[_Source]:
    grouping = grouping_of(question.entity)
    facts = _asked(grouping.observations(), question, _FACTS)
    return [
        _Source(facts, _fact),
        _Source(_edges(question, grouping, outbound=True), _edge),
        _Source(_edges(question, grouping, outbound=False), _edge),
        _Source(_decisions(question, grouping), _decision),
    ]


def _edges(question: Question, grouping: Grouping, *, outbound: bool) -> QuerySet[RelationshipObservation]:
    """In one direction; an edge between what is one by now counts as outbound alone."""
    rows = RelationshipObservation.objects.select_related("relationship")
    far = seen_by(question.audience, f"relationship__{'target' if outbound else 'source'}__")
    if outbound:
        rows = rows.filter(far, stated_source__in=grouping.ids)
    else:
        rows = rows.filter(far, stated_target__in=grouping.ids).exclude(stated_source__in=grouping.ids)
    return _asked(rows, question, _EDGES)


def _decisions(question: Question, grouping: Grouping) -> QuerySet[Regrouping]:
    rows = Regrouping.objects.filter(Q(entity__in=grouping.ids) | Q(target__in=grouping.ids))
    rows = rows.filter(seen_by(question.audience, "entity__"), seen_by(question.audience, "target__"))
    return _asked(rows, question, _DECISIONS)


def _asked(rows: QuerySet[Any], question: Question, kinds: dict[str, What]) -> QuerySet[Any]:
    if question.whats:
        rows = rows.filter(kind__in=[kind for kind, what in kinds.items() if what in question.whats])
    if question.since is not None:
        rows = rows.filter(created_at__gte=question.since)
    if question.until is not None:
        rows = rows.filter(created_at__lt=question.until)
    return rows


def _fact(row: Observation, source: int) -> Moment:
    return Moment(
        at=row.created_at,
        what=_FACTS[row.kind],
        source=source,
        key=row.pk,
        actor_key=row.actor_key,
        actor_kind=row.actor_kind,
        actor_name=row.actor_name,
        observed_at=row.observed_at,
        fields=row.fields,
    )


def _edge(row: RelationshipObservation, source: int) -> Moment:
    return Moment(row.created_at, _EDGES[row.kind], source, row.pk, row.actor_key, edge=row.relationship)


def _decision(row: Regrouping, source: int) -> Moment:
    ends = (row.entity_id, row.target_id)
    return Moment(row.created_at, _DECISIONS[row.kind], source, row.pk, row.actor_key, entity_ids=ends)

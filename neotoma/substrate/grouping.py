"""Whose facts count for an entity, after merges and splits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from neotoma.substrate.models import Entity, Observation, Regrouping

_NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Grouping:
    """`ids`: an entity and all that were merged into it. `taken`: keys of observations stated of these that splits gave
    to others. `given`: of observations stated of others that splits gave to these.
    """

    ids: frozenset[str]
    taken: frozenset[int] = _NOTHING
    given: frozenset[int] = _NOTHING

    def observations(self) -> QuerySet[Observation]:
        rows = Observation.objects.all()
        if not self.given:
            rows = rows.filter(entity_id__in=self.ids)
        else:
            rows = rows.filter(Q(entity_id__in=self.ids) | Q(pk__in=self.given))
        return rows.exclude(pk__in=self.taken) if self.taken else rows


def grouping_of(entity: Entity) -> Grouping:
    """As it is now; costs nothing for an entity that no merge or split has touched."""
    if not entity.regrouped:
        return Grouping(frozenset({entity.pk}))
    merged = Entity.objects.filter(merged_root=entity.merged_root_id or entity.pk)
    return _with_splits(below(entity.pk, dict(merged.values_list("pk", "merged_into_id"))), Regrouping.objects.all())


def grouping_at(entity: Entity, moment: datetime) -> tuple[str, Grouping]:
    """What an id stood for as the system knew it at a time: the id it read as, and whose facts counted for that."""
    if not entity.regrouped:
        return entity.pk, Grouping(frozenset({entity.pk}))
    known = Regrouping.objects.filter(created_at__lte=moment)
    parents = _parents(entity.pk, known)
    root = entity.pk
    while root in parents:
        root = parents[root]
    return root, _with_splits(below(root, parents), known)


def below(entity_id: str, parents: Mapping[str, str]) -> frozenset[str]:
    """An entity and everything merged into it, directly or not; `parents` says what was merged into what."""
    children: dict[str, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    found, waiting = set(), [entity_id]
    while waiting:
        found.add(one := waiting.pop())
        waiting.extend(children.get(one, ()))
    return frozenset(found)


def homes(observations: Iterable[Observation], splits: Iterable[Regrouping]) -> dict[int, str]:
    """By key, for which entity each observation counts before any merge: where the last split put it."""
    found = {row.pk: row.entity_id for row in observations}
    for split in splits:
        found.update({key: split.target_id for key in split.observations if key in found})
    return found


def splits_touching(ids: Collection[str], known: QuerySet[Regrouping]) -> list[Regrouping]:
    """In order."""
    touching = Q(entity__in=ids) | Q(target__in=ids)
    return list(known.filter(touching, kind="split").order_by("pk"))


def _with_splits(ids: frozenset[str], known: QuerySet[Regrouping]) -> Grouping:
    taken: set[int] = set()
    given: set[int] = set()
    for split in splits_touching(ids, known):
        leaves, arrives = split.entity_id in ids, split.target_id in ids
        if leaves and not arrives:
            taken.update(set(split.observations) - given)
            given.difference_update(split.observations)
        elif arrives and not leaves:
            given.update(set(split.observations) - taken)
            taken.difference_update(split.observations)
    return Grouping(ids, frozenset(taken), frozenset(given))


def _parents(entity_id: str, known: QuerySet[Regrouping]) -> dict[str, str]:
    """What was merged into what among all that was ever merged with the entity: one query a step away from it."""
    rows: dict[int, Regrouping] = {}
    seen: set[str] = set()
    frontier = {entity_id}
    while frontier:
        touching = Q(entity__in=frontier) | Q(target__in=frontier)
        rows.update({row.pk: row for row in known.filter(touching, kind__in=("merge", "part"))})
        seen |= frontier
        frontier = {end for row in rows.values() for end in (row.entity_id, row.target_id)} - seen
    parents: dict[str, str] = {}
    for _, row in sorted(rows.items()):
        if row.kind == "merge":
            parents[row.entity_id] = row.target_id
        else:
            parents.pop(row.entity_id, None)
    return parents

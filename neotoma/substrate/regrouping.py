"""Merging what is one, splitting what is two. Facts stay where they were stated; decisions say for whom they count."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import ClassVar

from neotoma.substrate import identity, rows
from neotoma.substrate.drafts import Stored
from neotoma.substrate.errors import Conflict, InvalidInput, WriteRace
from neotoma.substrate.following import edges_back, edges_over
from neotoma.substrate.grouping import below, grouping_of, homes, splits_touching
from neotoma.substrate.log import regrouping_event
from neotoma.substrate.models import Entity, Observation, Regrouping
from neotoma.substrate.models.entities import Visibility
from neotoma.substrate.reading import fact_of
from neotoma.substrate.reducer import reduce
from neotoma.substrate.schema import type_of
from neotoma.substrate.store import Write

MOST_MERGED = 1_000
"""Entities that one may stand for: all of them are looked at when it is reduced anew."""
_WIDTH = (Visibility.PRIVATE, Visibility.INTERNAL, Visibility.PUBLIC)


class CannotRegroup(Conflict):
    """A merge or a split that would make no sense now; `details.reason` is one word of ours."""

    error_code: ClassVar[str] = "REGROUPING_REFUSED"

    @classmethod
    def because(cls, reason: str, message: str, *, hint: str = "", **details: object) -> CannotRegroup:
        return cls(message, hint=hint, details={"reason": reason, **details})


def merge(write: Write, source_id: str, target_id: str) -> Stored:
    """From now on `source_id` is `target_id`: reads, writes, edges, subscriptions and grants follow.

    Refuses two types, deleted ones, and a target that more people see than the source.
    """
    held = write.lock_whole([source_id, target_id])
    source, target = _still_whole(held[source_id]), _still_whole(held[target_id])
    _refuse_merge(source, target)
    write.record(Regrouping(kind="merge", entity=source, target=target))
    Entity.objects.filter(merged_root=source).update(merged_root=target)
    source.merged_into = source.merged_root = target
    source.regrouped = target.regrouped = True
    source.updated_at = write.now
    rows.update(source)
    edges_over(source.pk, target.pk, write.now)
    write.events.append(regrouping_event("merged", source, target.pk, write.actor))
    write.known[source.pk] = target
    return write.reduce_again([target])[0]


def part(write: Write, whole_id: str, part_id: str) -> tuple[Stored, Stored]:
    """Take a merge back: what was merged into `whole_id` is itself again, with what was merged into it before.

    Facts that were stated meanwhile stay with the whole. Answers both, the whole first.
    """
    held = write.lock_whole([whole_id, part_id])
    whole, piece = _still_whole(held[whole_id]), held[part_id]
    if piece.merged_into_id is None or piece.merged_root_id != whole.pk:
        raise CannotRegroup.because("not_merged", f"{part_id} is not merged into {whole_id}.", entity_id=whole_id)
    _refuse_deleted(whole)
    parents = _parents(whole)
    between = _between({piece.merged_into_id}, whole, parents)
    ids = below(piece.pk, parents)
    write.record(Regrouping(kind="part", entity=piece, target_id=piece.merged_into_id))
    Entity.objects.filter(pk__in=ids - {piece.pk}).update(merged_root=piece)
    piece.merged_into = piece.merged_root = None
    rows.update(piece)
    edges_back(whole.pk, piece.pk, ids)
    write.events.append(regrouping_event("split", whole, piece.pk, write.actor))
    again = write.reduce_again([whole, piece, *write.lock_whole(between).values()])
    return again[0], again[1]


def split(write: Write, entity_id: str, keys: Sequence[int], scope: str, path: str) -> tuple[Stored, Stored]:
    """The observations with these keys are about something else: they move to a new entity of the same type.

    It is recognised within `scope` by what they say of its identity, unless that names another one. Refuses, by `path`,
    observations that do not count for the entity, and all of them. Answers both entities, the old one first.
    """
    whole = _still_whole(write.lock_whole([entity_id])[entity_id])
    _refuse_deleted(whole)
    grouping = grouping_of(whole)
    statements = grouping.observations().filter(kind__in=("store", "correction"))
    named = {row.pk: row for row in statements.filter(pk__in=keys)}
    _refuse_keys(whole, keys, named, statements.count(), path)
    splits = splits_touching(grouping.ids, Regrouping.objects.all())
    piece = _piece(whole, list(named.values()), scope)
    write.make(piece)
    from_where: dict[str, list[int]] = {}
    for key, home in homes(named.values(), splits).items():
        from_where.setdefault(home, []).append(key)
    for home, moved in sorted(from_where.items()):
        write.record(Regrouping(kind="split", entity_id=home, target=piece, observations=sorted(moved)))
    whole.regrouped = True
    write.events.append(regrouping_event("split", whole, piece.pk, write.actor))
    between = _between(from_where.keys(), whole, _parents(whole))
    again = write.reduce_again([whole, piece, *write.lock_whole(between).values()])
    return again[0], again[1]


def _parents(whole: Entity) -> dict[str, str]:
    """What was merged into what among all that reads as the whole."""
    merged = Entity.objects.filter(merged_root=whole)
    return dict(merged.values_list("pk", "merged_into_id"))


def _between(ids: Iterable[str], whole: Entity, parents: Mapping[str, str]) -> list[str]:
    """These, and what they were merged into on the way to the whole: their own rows hold the same facts."""
    found: set[str] = set()
    for entity_id in ids:
        while entity_id != whole.pk and entity_id not in found:
            found.add(entity_id)
            entity_id = parents[entity_id]
    return sorted(found)


def _still_whole(entity: Entity) -> Entity:
    if entity.merged_into_id:
        raise WriteRace("another transaction merged it meanwhile")
    return entity


def _refuse_merge(source: Entity, target: Entity) -> None:
    if source.entity_type != target.entity_type:
        raise InvalidInput.at(
            "to_entity_id", f"{target.pk} is a {target.entity_type}, {source.pk} is a {source.entity_type}"
        )
    for entity in (source, target):
        _refuse_deleted(entity)
    if Entity.objects.filter(merged_root__in=(source.pk, target.pk)).count() >= MOST_MERGED:
        raise CannotRegroup.because("too_many", f"{MOST_MERGED} entities are merged into these already.")
    if _WIDTH.index(Visibility(target.visibility)) > _WIDTH.index(Visibility(source.visibility)):
        raise CannotRegroup.because(
            "wider_visibility",
            f"{source.pk} is {source.visibility}, but {target.pk} is {target.visibility}: its facts would show.",
            hint="Merge the other way round.",
        )


def _refuse_deleted(entity: Entity) -> None:
    if entity.deleted_at is not None:
        raise CannotRegroup.because(
            "deleted", f"{entity.pk} is deleted.", hint="Restore it first with restore_entity.", entity_id=entity.pk
        )


def _refuse_keys(whole: Entity, keys: Sequence[int], named: Collection[int], total: int, path: str) -> None:
    for position, key in enumerate(keys):
        if key not in named:
            raise InvalidInput.at(f"{path}.{position}", f"obs_{key} states nothing of {whole.pk}")
    if len(named) == total:
        raise InvalidInput.at(path, "these are all observations there are", hint="Leave at least one with the entity.")


def _piece(whole: Entity, observations: Sequence[Observation], scope: str) -> Entity:
    """The new entity: as visible as the old one, and its owner's. A thread stays with its submission."""
    kind = type_of(whole.entity_type)
    state = reduce([fact_of(row) for row in observations], kind.reducers)
    key = identity.canonical_key(state.values, kind.identity)
    entity_id = identity.entity_id(scope, kind.name, key)
    if Entity.objects.filter(pk=entity_id).exists():
        key = identity.fresh_key()
        entity_id = identity.entity_id(scope, kind.name, key)
    return Entity(
        id=entity_id,
        canonical_key=key,
        entity_type=kind.name,
        visibility=whole.visibility,
        owner=whole.owner,
        thread_id=whole.thread_id if whole.thread_id != whole.pk else "",
        regrouped=True,
    )

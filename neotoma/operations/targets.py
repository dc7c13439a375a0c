"""Finding what a call is about, with the caller's eyes: unknown and invisible are the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db.models import QuerySet

from neotoma.operations.context import Context
from neotoma.substrate.actors import Audience
from neotoma.substrate.drafts import INSTANCE, Edge
from neotoma.substrate.errors import ManagedType, NotFound, Refusal, UnknownLinkTarget, WriteRace
from neotoma.substrate.identity import ENTITY_ID
from neotoma.substrate.models import Entity
from neotoma.substrate.prepared import prepared
from neotoma.substrate.schema import type_of

COMPOSING = frozenset({"PART_OF", "DUPLICATE_OF", "SUPERSEDES"})
"""Relationships that change what their target is; anybody may merely refer to it."""


class NotYours(Refusal):
    """Reporters change only what they made."""

    error_code = "NOT_YOURS"
    status = 403


def visible(context: Context, entity_id: str, path: str = "entity_id") -> Entity:
    """The entity of that id, even if it was merged away; `NotFound` when unknown or not visible."""
    entity = Entity.objects.visible_to(context.audience).filter(pk=entity_id).first()
    if entity is None:
        details = {"path": path, "entity_id": entity_id}
        raise NotFound(f"There is no entity {entity_id} that you can see.", details=details)
    return entity


def readable(context: Context, entity_id: str, path: str = "entity_id") -> Entity:
    """The entity, following merges; `NotFound` when it, or what it became, is unknown or not visible."""
    entity = visible(context, entity_id, path)
    return visible(context, entity.merged_root_id, path) if entity.merged_root_id else entity


def readable_many(context: Context, entity_ids: Sequence[str]) -> dict[str, Entity]:
    """By the id asked for, what is visible, merges followed; the rest is left out. Two queries at most."""
    held = {entity.pk: entity for entity in _visible_entities(context.audience, list(entity_ids))}
    merged = {entity.merged_root_id for entity in held.values() if entity.merged_root_id}
    roots = {entity.pk: entity for entity in _visible_entities(context.audience, sorted(merged))} if merged else {}
    read_as = {entity_id: entity.merged_root_id or entity_id for entity_id, entity in held.items()}
    return {entity_id: found for entity_id, root in read_as.items() if (found := {**held, **roots}.get(root))}


def writable(context: Context, entity_id: str, path: str = "entity_id") -> Entity:
    """As `readable`; a caller with only `report` writes its own entities alone."""
    entity = readable(context, entity_id, path)
    refuse_foreign_entity(context, entity, path)
    return entity


def refuse_foreign_entity(context: Context, entity: Entity, path: str) -> None:
    """Who may not write at large writes only what is their own."""
    if not context.principal.has("write") and entity.owner != context.principal.actor.key:
        raise NotYours(f"{path}: you may only change what you stored yourself.", details={"path": path})


def source(context: Context, entity_id: str, path: str) -> Entity:
    """The entity that an edge leaves: a fact about it, so it must be writable, and not managed."""
    entity = writable(context, entity_id, path=path)
    refuse_managed(entity.entity_type, path)
    return entity


def scope(context: Context) -> str:
    """Where identity looks for what the caller stores: callers who may not change what others stored, or do not see
    it, have names of their own, so that a name never leads them to an entity of somebody else.
    """
    shares = context.principal.has("write") and context.audience.internal
    return INSTANCE if shares else context.principal.actor.key


def refuse_foreign(context: Context, found: Sequence[tuple[str, str]]) -> None:
    """Refuse stored entities that the caller may not both see and change; `found` are (path, entity id).

    Identity leads to such a one when it is private or was merged.
    """
    owner = "" if context.principal.has("write") else context.principal.actor.key
    own = set(_visible(context.audience, [entity_id for _, entity_id in found], owner))
    for path, entity_id in found:
        if entity_id not in own:
            raise NotYours(f"{path}: you may not change the entity that this names.", details={"path": path})


def still_itself(entity_id: str, written: Entity) -> None:
    """Runs the call again when what it was allowed to change was merged before its row was locked.

    The write followed the merge, perhaps to an entity that the caller may not change.
    """
    if written.pk != entity_id:
        raise WriteRace("another transaction merged it meanwhile")


def refuse_managed(entity_type: str, path: str) -> None:
    """Types with operations of their own are not written by the generic ones."""
    managed_by = type_of(entity_type).managed_by
    if managed_by:
        raise ManagedType(
            f"{path}: {entity_type} is written only by its own operations.",
            hint=f"Use {', '.join(managed_by)}.",
            details={"path": path, "entity_type": entity_type, "use": list(managed_by)},
        )


def refuse_joining(edges: Sequence[Edge]) -> None:
    """What a managed entity is made of, repeats or replaces is said by its own operations alone.

    Call it once the ends are known to be readable.
    """
    composing = [edge for edge in edges if edge.relationship_type in COMPOSING]
    if not composing:
        return
    ends = Entity.objects.filter(pk__in={edge.target_id for edge in composing})
    types = dict(ends.values_list("pk", "entity_type"))
    for edge in composing:
        if edge.target_id in types:
            refuse_managed(types[edge.target_id], edge.path)


def refuse_unreadable(context: Context, ends: Sequence[tuple[str, str]], known: Collection[str] = ()) -> None:
    """One identical refusal for link targets that are unknown or not visible, or became what is not visible.

    `ends` are (path, entity id).
    """
    wanted = {entity_id for _, entity_id in ends} - set(known)
    if not wanted:
        return
    roots = dict(_with_roots(context.audience, sorted(wanted)))
    merged = {root for root in roots.values() if root}
    seen_roots = set(_visible(context.audience, sorted(merged))) if merged else set()
    seen = {entity_id for entity_id, root in roots.items() if root is None or root in seen_roots}
    for path, entity_id in ends:
        if entity_id in wanted and (entity_id not in seen or not ENTITY_ID.match(entity_id)):
            raise UnknownLinkTarget(
                f"{path}: there is no entity {entity_id[:40]} that you can link.",
                details={"path": path, "entity_id": entity_id[:40]},
            )


@prepared
def _visible_entities(audience: Audience, ids: list[str]) -> QuerySet[Entity]:
    return Entity.objects.visible_to(audience).filter(pk__in=ids)


@prepared
def _with_roots(audience: Audience, ids: list[str]) -> QuerySet[Entity, tuple[str, str | None]]:
    return Entity.objects.visible_to(audience).filter(pk__in=ids).values_list("pk", "merged_root_id")


@prepared
def _visible(audience: Audience, ids: list[str], owner: str = "") -> QuerySet[Entity, str]:
    rows = Entity.objects.visible_to(audience).filter(pk__in=ids)
    return (rows.filter(owner=owner) if owner else rows).values_list("pk", flat=True)

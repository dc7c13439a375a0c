"""What leads to an entity that is merged away leads to what it became: edges, and ids that somebody holds."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Value, When

from neotoma.substrate.models import Entity, Relationship


def roots_of(ids: Collection[str]) -> dict[str, str]:
    """Of these ids, those that were merged away, with what each reads as now."""
    merged = Entity.objects.filter(pk__in=ids, merged_root__isnull=False)
    return dict(merged.values_list("pk", "merged_root_id"))


def merged_into_any(ids: Collection[str]) -> set[str]:
    """Ids that read as one of these now."""
    return set(Entity.objects.filter(merged_root__in=ids).values_list("pk", flat=True))


def edges_over(source: str, target: str, now: datetime) -> None:
    """Edges of `source` become edges of `target`; those that then say nothing new are set aside."""
    standing = Relationship.objects.filter(deleted_at=None)
    between = Q(source=source, target__in=(source, target)) | Q(source=target, target=source)
    told_out = Exists(_same(standing.filter(source=target), "relationship_type", "target"))
    told_in = Exists(_same(standing.filter(target=target), "relationship_type", "source"))
    said = Q(source=source) & Q(told_out) | Q(target=source) & Q(told_in)
    standing.filter(between | said).update(deleted_at=now, doubled=True)
    Relationship.objects.filter(source=source).update(source=target, stated_source=_first("source"))
    Relationship.objects.filter(target=source).update(target=target, stated_target=_first("target"))


def edges_back(whole: str, piece: str, ids: Collection[str]) -> None:
    """Edges that were stated of `ids`, which are `piece` again, leave `whole`; what was set aside for them returns."""
    Relationship.objects.filter(source=whole, stated_source__in=ids).update(source=piece)
    Relationship.objects.filter(target=whole, stated_target__in=ids).update(target=piece)
    ends = Q(source__in=(whole, piece)) | Q(target__in=(whole, piece))
    same = _same(Relationship.objects.all(), "relationship_type", "source", "target")
    first = Q(deleted_at=None) | Q(doubled=True, pk__lt=OuterRef("pk"))
    aside = Relationship.objects.filter(ends, doubled=True).exclude(source=F("target"))
    returning = list(aside.exclude(Exists(same.filter(first))).values_list("pk", flat=True))
    Relationship.objects.filter(pk__in=returning).update(deleted_at=None, doubled=False)


def _same(rows: QuerySet[Relationship], *columns: str) -> QuerySet[Relationship]:
    return rows.filter(**{column: OuterRef(column) for column in columns})


def _first(end: str) -> Case:
    """The end that an edge was stated with."""
    return Case(When(**{f"stated_{end}": Value(""), "then": F(f"{end}_id")}), default=F(f"stated_{end}"))

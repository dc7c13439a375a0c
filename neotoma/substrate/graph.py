"""Edges as a reader may follow them, and walks along them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, Literal

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from neotoma.substrate.actors import Audience
from neotoma.substrate.cursors import TOTAL_CAP, decode_cursor, encode_cursor
from neotoma.substrate.models import Relationship
from neotoma.substrate.models.entities import seen_by
from neotoma.substrate.times import cursor_instant

Direction = Literal["inbound", "outbound", "both"]
ENDS = {"outbound": ("source", "target"), "inbound": ("target", "source")}
"""By direction, the end that is at hand and the end that is reached."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Which edges a walk follows; no types means all. `budget`: entities that it reaches at most."""

    audience: Audience
    direction: Direction = "both"
    relationship_types: Sequence[str] = ()
    entity_types: Sequence[str] = ()
    hops: int = 1
    budget: int = 20


@dataclass(slots=True)
class Reached:
    """By entity id, how many hops away it is, nearest first, and the ids of the edges that led there.

    `truncated`: more lies within these hops than the budget allows.
    """

    hops: dict[str, int]
    edges: dict[str, None] = field(default_factory=dict)
    truncated: bool = False


def directions(direction: Direction) -> list[str]:
    return list(ENDS) if direction == "both" else [direction]


def open_edges(paths: Paths, direction: str) -> QuerySet[Relationship]:
    """Edges in one direction that are stated and lead to what is alive and visible, newest first."""
    _, far = ENDS[direction]
    rows = Relationship.objects.filter(seen_by(paths.audience, f"{far}__"), deleted_at=None)
    rows = rows.filter(**{f"{far}__deleted_at": None, f"{far}__merged_into": None})
    for name, values in (
        ("relationship_type", paths.relationship_types),
        (f"{far}__entity_type", paths.entity_types),
    ):
        if values:
            rows = rows.filter(Q(**{name: values[0]}) if len(values) == 1 else Q(**{f"{name}__in": values}))
    return rows.order_by("-created_at", "-pk")


def page(entity_id: str, paths: Paths, limit: int, cursor: str | None) -> tuple[list[Relationship], str | None]:
    """One page of the edges of an entity, newest first, and the cursor of the next."""
    after = Q()
    if cursor:
        moment, last = decode_cursor(cursor, str, str)
        at = cursor_instant(moment)
        after = Q(created_at__lt=at) | Q(created_at=at, pk__lt=last)
    found = [row for rows in _edges_of(entity_id, paths) for row in rows.filter(after)[: limit + 1]]
    found.sort(key=lambda row: (row.created_at, row.pk), reverse=True)
    if len(found) <= limit:
        return found, None
    last_row = found[limit - 1]
    return found[:limit], encode_cursor(last_row.created_at.astimezone(UTC).isoformat(), last_row.pk)


def count(entity_id: str, paths: Paths) -> int:
    """How many edges an entity has, exact to `TOTAL_CAP`."""
    return sum(rows.values("pk")[: TOTAL_CAP + 1].count() for rows in _edges_of(entity_id, paths))


def _edges_of(entity_id: str, paths: Paths) -> list[QuerySet[Relationship]]:
    """Its edges by direction; one from the entity to itself counts as outbound alone, where both are asked for."""
    found: list[QuerySet[Relationship]] = []
    for direction in directions(paths.direction):
        near, far = ENDS[direction]
        rows = open_edges(paths, direction).filter(**{near: entity_id})
        found.append(rows.exclude(**{far: entity_id}) if found else rows)
    return found


def walk(root: str, paths: Paths) -> Reached:
    """Breadth first from `root`, one query a hop. What the audience may not see is not walked through."""
    reached, frontier = Reached({root: 0}), [root]
    for hop in range(1, paths.hops + 1):
        steps, cut = _steps(frontier, paths)
        new = list(dict.fromkeys(far for _, _, far in steps if far not in reached.hops))
        room = paths.budget + 1 - len(reached.hops)
        reached.truncated |= cut or len(new) > room
        frontier = new[:room]
        reached.hops |= dict.fromkeys(frontier, hop)
        reached.edges |= {edge: None for edge, _, far in steps if far in reached.hops}
        if not frontier:
            break
    return reached


def _steps(frontier: Sequence[str], paths: Paths) -> tuple[list[tuple[str, str, str]], bool]:
    """(edge, near end, far end) of the newest edges of each entity, and whether any has more than a walk looks at."""
    most = paths.budget
    found = [row for direction in directions(paths.direction) for row in _rows(frontier, paths, direction, most + 1)]
    place = {entity_id: number for number, entity_id in enumerate(frontier)}
    found.sort(key=lambda row: (row[3], row[0]), reverse=True)
    found.sort(key=lambda row: place[row[1]])
    taken = dict.fromkeys(frontier, 0)
    steps = []
    for edge, near, far, _ in found:
        taken[near] += 1
        if taken[near] <= most:
            steps.append((edge, near, far))
    return steps, len(steps) < len(found)


def _rows(frontier: Sequence[str], paths: Paths, direction: str, most: int) -> list[tuple[Any, ...]]:
    """(edge, near end, far end, time) of the newest `most` edges of each entity, from an index, however many it has."""
    near, far = ENDS[direction]
    lateral = connection.vendor == "postgresql"
    mark = object()
    here = RawSQL('"near"."id"', []) if lateral else RawSQL("%s", [mark])
    rows = open_edges(paths, direction).filter(**{near: here})[:most]
    try:
        sql, values = rows.values_list("pk", f"{near}_id", f"{far}_id", "created_at").query.sql_with_params()
    except EmptyResultSet:
        return []
    if lateral:
        statement = f'SELECT "step".* FROM unnest(%s::text[]) AS "near"("id") CROSS JOIN LATERAL ({sql}) AS "step"'  # noqa: S608
        parameters = [list(frontier), *values]
    else:
        # SQLite has no lateral join, and takes five hundred parts in one statement.
        statement = " UNION ALL ".join([f"SELECT * FROM ({sql})"] * len(frontier))  # noqa: S608
        parameters = [one if value is mark else value for one in frontier for value in values]
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())

"""Full text over snapshots, behind one queryset on both databases.

It looks at the newest matches only, so a common word costs no more than a rare one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from neotoma.substrate.cursors import TOTAL_CAP
from neotoma.substrate.models import SearchDocument
from neotoma.substrate.words import words_asked, words_of

WINDOW = TOTAL_CAP + 1
"""Matches that are looked at, newest first: one more than is counted, so that a total knows that it is capped."""
EVERYWHERE = Q()
_ALIVE = Q(entity__deleted_at=None, entity__merged_into=None)


def words_stored(entity_type: str, text: str) -> str:
    """The words of an entity as they are kept, in a fixed order; its type is one of them."""
    return " ".join(sorted({_of_type(entity_type), *words_of(text)}))


def matching(query: str, *, entity_types: Sequence[str] = (), within: Q = EVERYWHERE) -> QuerySet[SearchDocument, Any]:
    """Ids of the living entities that hold every word of `query`, newest first.

    A `*` at its end asks for all words that begin like the last one, which takes the longer the more there are.

    `entity_types` and `within`, a condition on `SearchDocument` such as `seen_by(audience, "entity__")`, narrow before
    the window is cut, so that other types and what the reader may not see do not crowd anything out.
    """
    rows = SearchDocument.objects.filter(_ALIVE, within).values_list("entity_id", flat=True)
    words = words_asked(query)
    if not words:
        return rows.none()
    asked = _query(words, entity_types, open_ended=query.rstrip().endswith("*"))
    if connection.vendor == "postgresql":
        return rows.filter(words__meets=asked).order_by("-pk")[:WINDOW]
    # As a table of the join, in its own order, FTS5 answers row by row; within a subquery it would find them all first.
    return rows.extra(
        tables=["substrate_search"],
        where=["substrate_search.substrate_search MATCH %s", "substrate_search.rowid = substrate_searchdocument.id"],
        params=[asked],
        order_by=["-substrate_search.rowid"],
    )[:WINDOW]


def _of_type(entity_type: str) -> str:
    """No word of a text begins like this."""
    return f"_{entity_type}"


def _query(words: Sequence[str], entity_types: Sequence[str], *, open_ended: bool) -> str:
    """In the language of the database. Words hold no quotes, so quoting is all that keeps operators plain."""
    on_postgres = connection.vendor == "postgresql"
    quote, both, either, beginning = ("'", " & ", " | ", ":*") if on_postgres else ('"', " AND ", " OR ", "*")
    quoted = [f"{quote}{word}{quote}" for word in words]
    quoted[-1] += beginning if open_ended else ""
    kinds = either.join(f"{quote}{_of_type(name)}{quote}" for name in entity_types)
    return both.join([*quoted, f"({kinds})"] if kinds else quoted)

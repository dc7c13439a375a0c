"""Full text over snapshots, behind one queryset on both databases.

Ranking looks at the newest matches only, so a common word costs no more than a rare one.
"""

from __future__ import annotations

import re
from typing import Any

from django.db import connection
from django.db.models import BooleanField, Q, QuerySet
from django.db.models.expressions import RawSQL

from neotoma.substrate.cursors import TOTAL_CAP
from neotoma.substrate.models import SearchDocument

WINDOW = TOTAL_CAP + 1
"""Matches that are looked at, newest first: one more than is counted, so that a total knows that it is capped."""
EVERYWHERE = Q()
_WORD = re.compile(r"\w+", re.UNICODE)


def words(query: str) -> list[str]:
    """The words of a query, 16 at most; punctuation separates."""
    return _WORD.findall(query.casefold())[:16]


def matching(query: str, *, entity_type: str = "", within: Q = EVERYWHERE) -> QuerySet[SearchDocument, Any]:
    """Ids of the entities whose text holds every word of `query` (the last one may be a beginning), newest first.

    `entity_type` and `within`, a condition on `SearchDocument` such as `seen_by(audience, "entity__")`, narrow before
    the window is cut, so that other types and what the reader may not see do not crowd anything out.
    """
    terms = words(query)
    if not terms:
        return SearchDocument.objects.none().values_list("entity_id", flat=True)
    rows = SearchDocument.objects.filter(_match(terms)).filter(within)
    if entity_type:
        rows = rows.filter(entity_type=entity_type)
    return rows.order_by("-pk").values_list("entity_id", flat=True)[:WINDOW]


def _match(terms: list[str]) -> RawSQL | Q:
    if connection.vendor == "postgresql":
        vector = 'to_tsvector(\'simple\', "substrate_searchdocument"."text")'
        return RawSQL(f"{vector} @@ to_tsquery('simple', %s)", [_tsquery(terms)], output_field=BooleanField())  # noqa: S611
    rowids = "SELECT rowid FROM substrate_search WHERE substrate_search MATCH %s"
    return Q(pk__in=RawSQL(rowids, [_fts_query(terms)]))  # noqa: S611  fixed text, parameters apart


def _tsquery(terms: list[str]) -> str:
    return " & ".join([*(f"'{term}'" for term in terms[:-1]), f"'{terms[-1]}':*"])


def _fts_query(terms: list[str]) -> str:
    return " ".join([*(f'"{term}"' for term in terms[:-1]), f'"{terms[-1]}"*'])

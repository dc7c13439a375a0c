"""Pages of large tables: counting and paging stop at a bound, so the last page costs no more than the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property

MOST = 5_000
"""Rows that can be paged through; what lies beyond is found by filter and search."""


if TYPE_CHECKING:
    Base = Paginator[Any]
else:
    Base = Paginator


class CappedPaginator(Base):
    """Counts no further than `MOST`."""

    @cached_property
    def count(self) -> int:
        if not isinstance(self.object_list, QuerySet):
            return len(self.object_list)
        return capped(self.object_list)


def capped(rows: QuerySet[Any], most: int = MOST) -> int:
    """How many rows there are, counting no further than `most`."""
    return rows.order_by().values("pk")[:most].count()

"""The searchable words of entities."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models.lookups import Lookup

from neotoma.substrate.models.entities import Entity


class WordsField(models.TextField):  # type: ignore[type-arg]  # at run time it takes none
    """Words parted by spaces: a `tsvector` on PostgreSQL, which indexes it; text that FTS5 reads on SQLite.

    Both take the words as they are, none parses them again, so that both find the same.
    """

    def db_type(self, connection: Any) -> str | None:
        return "tsvector" if connection.vendor == "postgresql" else super().db_type(connection)

    def from_db_value(self, value: str | None, expression: object, connection: Any) -> str | None:
        return value.replace("'", "") if value and connection.vendor == "postgresql" else value


@WordsField.register_lookup
class Meets(Lookup):
    """On PostgreSQL: whether the words meet a `tsquery`; `search` writes such."""

    lookup_name = "meets"

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        words, _ = self.process_lhs(compiler, connection)
        return f"{words} @@ %s::tsquery", [self.rhs]


class SearchDocument(models.Model):
    """What one entity is found by. `id` grows with time of creation, so newest first is one index walk."""

    entity = models.OneToOneField(Entity, on_delete=models.CASCADE, related_name="search_document")
    entity_type = models.CharField(max_length=64)
    words = WordsField(default="")

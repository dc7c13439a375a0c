"""Filters over closed lists of words: no query is spent on finding the choices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest


def words_filter(column: str, words: Iterable[str], heading: str = "") -> type[admin.SimpleListFilter]:
    """A filter on one column that holds one of these words."""
    choices = [(word, word.replace("_", " ")) for word in words]

    class WordsFilter(admin.SimpleListFilter):
        title = heading or column.replace("_", " ")
        parameter_name = column

        def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
            return choices

        def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
            return queryset.filter(**{column: self.value()}) if self.value() else queryset

    return WordsFilter


def flag_filter(column: str, yes: str, no: str, heading: str = "") -> type[admin.SimpleListFilter]:
    """A filter on whether a moment is set, e.g. whether a token was revoked."""

    class FlagFilter(admin.SimpleListFilter):
        title = heading or column.replace("_", " ")
        parameter_name = column

        def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
            return [("yes", yes), ("no", no)]

        def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
            if self.value() not in ("yes", "no"):
                return queryset
            return queryset.filter(**{f"{column}__isnull": self.value() == "no"})

    return FlagFilter

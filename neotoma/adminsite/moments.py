"""Times as people read them: how long ago, with the exact time on hover."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from neotoma.adminsite.cells import NOTHING


def ago(moment: datetime | None) -> SafeString:
    """`3 hours ago` or `in 2 days`, as a `<time>`; a dash for no time."""
    if moment is None:
        return NOTHING
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', moment.isoformat(), exact(moment), _passed(moment, timezone.now())
    )


def stated(text: object) -> datetime | None:
    """The time that a document names, as `iso` writes it; None for anything else."""
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def exact(moment: datetime | None) -> str:
    """UTC to the second."""
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC") if moment else "—"


def when(column: str, heading: str) -> Callable[[Any], SafeString]:
    """A column of a list."""

    @admin.display(description=heading, ordering=column)
    def shown(row: Any) -> SafeString:
        return ago(getattr(row, column))

    return shown


def _passed(moment: datetime, now: datetime) -> str:
    if moment > now:
        return f"in {timesince(now, moment, depth=1)}"
    passed = timesince(moment, now, depth=1)
    return "just now" if passed.startswith("0") else f"{passed} ago"

"""Cells of lists: a title with a note beneath it, a pill with its reason."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString

NOTHING = SafeString('<span class="nothing">—</span>')
"""A cell without a value; where there are no columns it is left out."""


def titled(title: object, note: object = "") -> SafeString:
    """What a row is called, and in small what tells it apart."""
    return noted(format_html('<span class="row-title">{}</span>', title), note)


def noted(shown: SafeString | str, note: object = "") -> SafeString:
    """Anything, with a small line beneath it if there is something to say."""
    beneath = format_html('<span class="row-note">{}</span>', note) if note else ""
    return format_html("{}{}", shown, beneath)


def quiet(text: object) -> SafeString:
    return format_html('<span class="quiet-cell theirs">{}</span>', text)


def mono(text: object) -> SafeString:
    return format_html('<span class="mono">{}</span>', text)

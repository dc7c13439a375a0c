"""Where a thing has its page."""

from __future__ import annotations

from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator

_PAGES: dict[str, str] = {}
LABEL = 90
"""Characters of a link's name: it stands among other things, and the page that it leads to has all of it."""


def own_page(entity_type: str, page: str) -> None:
    """Entities of this type are looked at on a page of their own, e.g. `issues_issue`."""
    _PAGES[entity_type] = page


def page_url(page: str, key: object) -> str:
    """The address of a row on a page, e.g. `issues_issue`; empty where there is no such page."""
    try:
        return reverse(f"admin:{page}_change", args=[key])
    except NoReverseMatch:
        return ""


def list_url(page: str, query: str = "") -> str:
    """The address of a list, with a query such as `state=open`."""
    try:
        return reverse(f"admin:{page}_changelist") + (f"?{query}" if query else "")
    except NoReverseMatch:
        return ""


def entity_url(entity_type: str, entity_id: str) -> str:
    return page_url(_PAGES.get(entity_type, "substrate_entity"), entity_id)


def entity_link(entity_type: str, entity_id: str, label: str = "") -> SafeString:
    """A link to an entity's page, named by `label`, cut where it gets long, or its id."""
    shown = Truncator(label or entity_id).chars(LABEL)
    return format_html('<a class="entity" href="{}">{}</a>', entity_url(entity_type, entity_id), shown)

"""How the admin's pages show text that somebody else wrote, times, words and JSON."""

from __future__ import annotations

import json
from typing import Any

from django import template
from django.utils.safestring import SafeString, mark_safe

from neotoma import markdown as untrusted
from neotoma.adminsite import links, moments, tones
from neotoma.substrate.models import Entity

register = template.Library()

JSON_LIMIT = 20_000
"""Characters of a document on a page."""


@register.filter
def markdown(text: str) -> SafeString:
    """Untrusted Markdown, made inert."""
    return mark_safe(untrusted.render(text))  # noqa: S308  the renderer is the guard


@register.simple_tag
def pill(word: object, tone: str = "") -> SafeString:
    return tones.pill(word, tone)


@register.filter
def tone(word: str) -> str:
    return tones.tone_of(word)


@register.filter
def words(name: str) -> str:
    """`awaiting_input` as people write it."""
    return str(name).replace("_", " ")


register.simple_tag(moments.ago)
register.filter(moments.exact)


@register.simple_tag
def entity(row: Entity, label: str = "") -> SafeString:
    """A link to the page of an entity."""
    return links.entity_link(row.entity_type, row.pk, label or row.name)


@register.simple_tag
def entity_id(entity_id: str, entity_type: str = "") -> str:
    return links.entity_link(entity_type, entity_id) if entity_id else "—"


@register.filter
def pretty(value: Any) -> str:
    """JSON over several lines, or text as it is; cut where nobody would read on."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return text if len(text) <= JSON_LIMIT else f"{text[:JSON_LIMIT]}\n… {len(text) - JSON_LIMIT} more characters"


@register.filter
def plain(value: Any) -> str:
    """A setting as people say it: yes, no, none, or its words one after the other."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "; ".join(f"{words(name)}: {plain(held)}" for name, held in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(plain, value)) or "none"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


@register.filter
def is_long(value: Any) -> bool:
    """Whether a value needs a block of its own."""
    if isinstance(value, str):
        return len(value) > 160 or "\n" in value
    return isinstance(value, list | dict) and len(str(value)) > 160

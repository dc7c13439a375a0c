"""Which colour a word has, the same on every page."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString

from neotoma.adminsite.panels import Tone

_LISTS: tuple[tuple[Tone, str], ...] = (
    ("good", "done delivered auto shipped landed succeeded low confirmed live active closed current answered fixed"),
    ("busy", "in_progress review approved executing attempting running queued pushing planned daemon"),
    ("warn", "awaiting_input proposed ready_to_ship ask maintainer unknown public medium mid waiting previewed"),
    (
        "bad",
        "failed blocked_target refused refuse rejected blocked in_progress:blocked high still_failing security "
        "timed_out deleted revoked expired handed_off",
    ),
)
_TONES = {word: tone for tone, words in _LISTS for word in words.split()}


def tone_of(word: str) -> Tone:
    """good, busy, warn or bad; calm for what needs nobody's eye."""
    return _TONES.get(word, "calm")


def pill(word: object, tone: Tone | str = "") -> SafeString:
    """A small coloured label."""
    text = str(word)
    return format_html('<span class="pill tone-{}">{}</span>', tone or tone_of(text), text.replace("_", " "))

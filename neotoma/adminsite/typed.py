"""What was typed into the form of a button."""

from __future__ import annotations

from django.http import QueryDict


def text(typed: QueryDict, name: str) -> str:
    """One field, without the space around it, with the line ends that everybody else writes."""
    return typed.get(name, "").strip().replace("\r\n", "\n")


def given(typed: QueryDict, *names: str) -> dict[str, str]:
    """The fields that were filled in; a browser sends the others as empty text."""
    return {name: value for name in names if (value := text(typed, name))}

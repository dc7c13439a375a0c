"""The front page's numbers. Each app declares its own, beside its pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from django.http import HttpRequest

from neotoma.adminsite.desk import Desk
from neotoma.substrate.actors import Audience

Tone = Literal["calm", "good", "warn", "bad", "busy"]
Counted = Callable[[Audience], Sequence["Figure"]]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. `url`: the list behind it."""

    label: str
    value: int | str
    url: str = ""
    tone: Tone = "calm"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    title: str
    figures: Sequence[Figure]


@dataclass(frozen=True, slots=True)
class Panel:
    """A row of numbers, for staff with any of `scopes`."""

    title: str
    order: int
    scopes: frozenset[str]
    counted: Counted

    def of(self, request: HttpRequest, desk: Desk) -> Shown:
        return Shown(self.title, self.counted(desk.audience(request)))


_PANELS: dict[str, Panel] = {}


def panel(title: str, *, order: int, scopes: tuple[str, ...]) -> Callable[[Counted], Counted]:
    """Declare a row of numbers; it asks a constant number of queries."""

    def declare(counted: Counted) -> Counted:
        if title in _PANELS:
            raise ValueError(f"panel {title} is declared twice")
        _PANELS[title] = Panel(title, order, frozenset(scopes), counted)
        return counted

    return declare


def panels() -> list[Panel]:
    return sorted(_PANELS.values(), key=lambda panel: panel.order)


def attention(count: int, tone: Tone = "warn") -> Tone:
    """A number that should be nought."""
    return tone if count else "good"

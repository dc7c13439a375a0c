"""Pages for people: declared once, so that the manifest knows them and a test knows which of them write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import admin
from django.utils.text import capfirst


@dataclass(frozen=True, slots=True)
class Screen:
    """A page. `path` is absolute. `human_only`: why a person, and not an operation, writes here; empty if nothing does.

    Without a `description` no agent ever hears of it.
    """

    name: str
    path: str
    title: str
    description: str
    human_only: str = ""

    @property
    def visible(self) -> bool:
        return bool(self.description.strip())


_SCREENS: dict[str, Screen] = {}


def declare(screen: Screen) -> Screen:
    """Make a page known; a second declaration of a name is a programming error."""
    if screen.name in _SCREENS:
        raise ValueError(f"screen {screen.name} is declared twice")
    _SCREENS[screen.name] = screen
    return screen


def screens() -> dict[str, Screen]:
    """Every page, declared or registered in the admin, in the order of names."""
    found = {screen.name: screen for screen in _admin_screens()} | _SCREENS
    return dict(sorted(found.items()))


def _admin_screens() -> Iterator[Screen]:
    """Each registered model is a screen; the docstring of its admin class is the description."""
    for model, model_admin in admin.site._registry.items():
        label, name = model._meta.app_label, model._meta.model_name
        yield Screen(
            name=f"admin_{label}_{name}",
            path=f"/admin/{label}/{name}/",
            title=capfirst(str(model._meta.verbose_name_plural)),
            description=_own_docstring(type(model_admin)),
            human_only="Signed-in staff look and press buttons here; programs call the operations.",
        )


def _own_docstring(kind: type) -> str:
    """Never an inherited one: Django's own docstrings describe its classes, not our pages."""
    if kind.__module__.startswith("django."):
        return _OF_DJANGO.get(kind.__name__, "")
    return str(kind.__dict__.get("__doc__") or "")


_OF_DJANGO = {
    "UserAdmin": "People of the instance: who is staff, who is a superuser, and in which groups they are.",
    "GroupAdmin": "Groups of staff, e.g. the reviewers of one daemon.",
}

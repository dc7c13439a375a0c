"""Guides for agents, as Markdown."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def guide(name: str) -> str:
    """The text of a guide that lies beside this file."""
    return files(__name__).joinpath(f"{name}.md").read_text("utf-8")

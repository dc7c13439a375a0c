"""Results for people: short facts line by line, lists as tables. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

WIDEST = 60
"""Characters of a cell; the whole value is in `--json`."""


def render(result: Mapping[str, Any]) -> str:
    """Scalars first, then each list of objects as a table."""
    blocks = ["\n".join(f"{name}: {_cell(value)}" for name, value in result.items() if not _is_table(value))]
    blocks += [f"{name}\n{table(value)}" for name, value in result.items() if _is_table(value)]
    return "\n\n".join(filter(None, blocks))


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Columns in the order of their first appearance, as wide as their cells."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[_short(_cell(row.get(name, ""))) for name in columns] for row in rows]
    widths = [max(len(line[i]) for line in [columns, *cells]) for i in range(len(columns))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in [columns, *cells]
    )


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _cell(value: object) -> str:
    """Control characters in stored text must not drive the terminal."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDEST else line[: WIDEST - 1] + "…"

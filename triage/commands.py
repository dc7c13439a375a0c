"""Which planners and agents a daemon may name (pure). They are programs, so nothing over the wire adds one."""

from __future__ import annotations

PLANNERS: tuple[str, ...] = ("heuristic",)
AGENTS: tuple[str, ...] = ()

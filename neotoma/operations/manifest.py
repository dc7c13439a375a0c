"""The manifest: what this installation can do, from what is mounted. No description: not in it."""

from __future__ import annotations

from typing import Any

from neotoma.operations.registry import Operation, visible_operations
from neotoma.operations.screens import Screen, screens
from neotoma.operations.texts import schema_of
from neotoma.substrate.schema import EntityType, declared_types


def manifest(*, version: str, base_url: str) -> dict[str, Any]:
    """Plain JSON, in the order of names."""
    return {
        "name": "neotoma",
        "version": version,
        "base_url": base_url,
        "operations": [_operation(op) for op in visible_operations()],
        "entity_types": [_entity_type(kind) for kind in declared_types().values() if kind.description],
        "screens": [_screen(screen) for screen in screens().values() if screen.visible],
    }


def _operation(op: Operation) -> dict[str, Any]:
    """`always_allow`: whether a standing permission may be given; only what is low qualifies."""
    schema = schema_of(op.params)
    return {
        "name": op.name,
        "title": op.title,
        "description": op.description,
        "effect": op.effect,
        "risk": op.risk,
        "undo": op.undo or None,
        "reversible": op.effect == "read" or bool(op.undo) or op.restorable,
        "always_allow": op.risk == "low",
        "scopes": sorted(op.scopes),
        "toolset": op.toolset,
        "default": op.default,
        "rest": {"method": op.route.method, "path": f"/api/{op.route.path}"},
        "parameters": list(schema.get("properties", {})),
        "required": schema.get("required", []),
    }


def _entity_type(kind: EntityType) -> dict[str, Any]:
    return {
        "name": kind.name,
        "description": kind.description,
        "managed_by": list(kind.managed_by),
        "indexed": sorted(kind.indexed),
        "strict": kind.strict,
        "fields": kind.described(),
    }


def _screen(screen: Screen) -> dict[str, Any]:
    return {
        "name": screen.name,
        "path": screen.path,
        "title": screen.title,
        "description": screen.description,
        "human_only": screen.human_only or None,
    }

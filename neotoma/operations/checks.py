"""Gaps: what keeps an operation, a screen or an entity type from being complete.

A warning at run time, an error before a deploy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.apps import AppConfig
from django.core import checks

from neotoma.operations import risk
from neotoma.operations.registry import Operation, operations
from neotoma.operations.screens import screens
from neotoma.substrate.schema import EntityType, declared_types

NAME = re.compile(r"[a-z][a-z0-9_]{2,40}")
PLACEHOLDER = re.compile(r"{(\w+)}")
STANDS_FOR = {"issue": ("issue_number", "entity_id")}
"""Path names that bind one of several parameters."""


def gaps() -> list[str]:
    """Every gap of this installation, one line each; empty when all is well."""
    known = operations()
    found = [gap for op in known.values() for gap in operation_gaps(op, known)]
    found += duplicate_routes(known.values())
    found += [f"screen {screen.name}: no description" for screen in screens().values() if not screen.visible]
    found += [f"entity type {kind.name}: no description" for kind in declared_types().values() if not kind.description]
    found += [gap for kind in declared_types().values() for gap in managing_gaps(kind, known)]
    return found


def managing_gaps(kind: EntityType, known: Mapping[str, Operation]) -> Iterator[str]:
    """A managed type refuses generic writes in favour of operations, so they must exist."""
    for name in kind.managed_by:
        if name not in known:
            yield f"entity type {kind.name}: managed by the unknown operation {name}"


def operation_gaps(op: Operation, known: Mapping[str, Operation]) -> Iterator[str]:
    """What one declaration lacks or claims wrongly."""
    if not NAME.fullmatch(op.name):
        yield f"{op.name}: the name is not {NAME.pattern}"
    if not op.visible:
        yield f"{op.name}: no description, agents will never see it"
    if not op.title.strip():
        yield f"{op.name}: no title"
    if not op.scopes:
        yield f"{op.name}: no scopes, nobody may call it"
    if op.undo and op.undo not in known:
        yield f"{op.name}: undo names the unknown operation {op.undo}"
    yield from _risk_gaps(op)
    yield from _parameter_gaps(op)
    yield from _path_gaps(op)


def duplicate_routes(known: Iterable[Operation]) -> list[str]:
    """Two operations at one method and path, whatever their placeholders are called."""
    taken: dict[tuple[str, str], str] = {}
    found = []
    for op in known:
        place = (op.route.method, PLACEHOLDER.sub("{}", op.route.path))
        if place in taken:
            found.append(f"{op.name}: its route {op.route.method} {op.route.path} belongs to {taken[place]}")
        taken.setdefault(place, op.name)
    return found


def _risk_gaps(op: Operation) -> Iterator[str]:
    wanted = risk.required(
        effect=op.effect, additive=op.additive, restorable=op.restorable, crosses=op.crosses, undo=op.undo
    )
    if op.risk != wanted:
        yield f"{op.name}: declares risk {op.risk}, the rules say {wanted}"


def _parameter_gaps(op: Operation) -> Iterator[str]:
    """Parameters of the operation and of the objects in it."""
    schema = op.params.model_json_schema()
    for name, part in (("", schema), *schema.get("$defs", {}).items()):
        for field, declared in part.get("properties", {}).items():
            if not declared.get("description", "").strip():
                yield f"{op.name}: parameter {name + '.' if name else ''}{field} has no description"


def _path_gaps(op: Operation) -> Iterator[str]:
    fields = op.params.model_fields
    for name in PLACEHOLDER.findall(op.route.path):
        if not any(field in fields for field in STANDS_FOR.get(name, (name,))):
            yield f"{op.name}: the path names {{{name}}}, which is no parameter"


@checks.register("operations")
def warn_of_gaps(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[checks.CheckMessage]:
    """A running instance goes on: what has a gap is left out of the manifest, not out of service."""
    return [checks.Warning(gap, id="neotoma.W001") for gap in gaps()]


@checks.register("operations", deploy=True)
def refuse_gaps(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[checks.CheckMessage]:
    """`manage.py check --deploy` fails."""
    return [checks.Error(gap, id="neotoma.E001") for gap in gaps()]

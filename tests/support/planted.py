"""Secrets planted into every text that an operation takes, and a look whether the database holds them."""

from __future__ import annotations

from collections.abc import Collection

from django.apps import apps

from neotoma.operations.registry import operations

TOKEN = "ghp_" + "a1b2" * 9
NOT_TEXTS = frozenset({"webhook_url", "idempotency_key", "guest_access_token"})
"""An address that is called later, and what is compared, not kept for reading."""


def texts_of(modules: str, structured: Collection[str] = ()) -> list[tuple[str, str]]:
    """(operation, parameter) of every text that the writes of these modules (a prefix) take.

    `structured`: parameters that are no plain text and hold some.
    """
    found = []
    for op in operations().values():
        if op.handler.__module__.startswith(modules) and op.effect == "write":
            for name, declared in op.params.model_json_schema()["properties"].items():
                kinds = {declared.get("type"), *(part.get("type") for part in declared.get("anyOf", ()))}
                if name not in NOT_TEXTS and (name in structured or "string" in kinds):
                    found.append((op.name, name))
    return found


def everything() -> str:
    """All rows of all tables."""
    return "".join(str(list(model._default_manager.values())) for model in apps.get_models())

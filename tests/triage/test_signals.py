from __future__ import annotations

from typing import Any

import pytest

from triage.signals import Meaning, meaning


def changed(**fields: tuple[Any, Any]) -> dict[str, Any]:
    return {name: {"old": old, "new": new} for name, (old, new) in fields.items()}


@pytest.mark.parametrize(
    ("event_type", "entity_type", "fields", "wanted"),
    [
        ("entity.created", "issue", changed(status=(None, "backlog")), "filed"),
        ("entity.deleted", "issue", {}, "closed"),
        ("entity.updated", "issue", changed(awaiting=("reporter", "maintainer")), "answered"),
        ("entity.updated", "issue", changed(awaiting=("maintainer", "reporter")), "nothing"),
        ("entity.updated", "issue", changed(message_count=(1, 2)), "nothing"),
        ("entity.updated", "issue", changed(status=("todo", "done")), "closed"),
        ("entity.updated", "issue", changed(status=("done", "cancelled")), "nothing"),
        ("entity.updated", "issue", changed(status=("done", "todo"), awaiting=("none", "maintainer")), "reopened"),
        ("entity.updated", "issue", changed(status=("backlog", "todo")), "nothing"),
        ("entity.updated", "plan", changed(status=("proposed", "approved")), "approved"),
        ("entity.updated", "plan", changed(status=("proposed", "rejected")), "rejected"),
        ("entity.updated", "plan", changed(status=("proposed", "awaiting_input")), "asked"),
        ("entity.updated", "plan", changed(revision=(1, 2)), "nothing"),
        ("entity.created", "plan", changed(status=(None, "approved")), "nothing"),
        ("entity.updated", "daemon_config", changed(active=(False, True)), "switched"),
        ("entity.created", "task", {}, "nothing"),
    ],
)
def test_what_an_event_means(event_type: str, entity_type: str, fields: dict[str, Any], wanted: Meaning) -> None:
    assert meaning(event_type, entity_type, fields) == wanted

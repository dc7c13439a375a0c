"""Why something was deleted or brought back is kept by the audit, without secrets."""

from __future__ import annotations

import pytest

from neotoma.operations.invoke import call
from neotoma.operations.models import AuditEntry
from tests.support.callers import agent, stored
from tests.support.planted import TOKEN, everything

pytestmark = pytest.mark.django_db


def test_a_token_in_a_reason_is_stored_nowhere() -> None:
    caller = agent()
    task = stored(caller, title="dig")
    for operation in ("delete_entity", "restore_entity"):
        call(operation, {"entity_id": task, "reason": f"it holds {TOKEN}"}, caller)
        assert AuditEntry.objects.get(operation=operation).details["reason"] == "it holds [redacted:github_token]"
    assert TOKEN not in everything()

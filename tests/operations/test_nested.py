from __future__ import annotations

from datetime import UTC, datetime

import pytest

from neotoma.access.policy import ScopeMissing
from neotoma.access.principals import Principal, audience_of, expand
from neotoma.operations.context import Context
from neotoma.operations.invoke import UnknownOperation
from neotoma.operations.models import AuditEntry
from neotoma.operations.nested import perform
from neotoma.substrate.actors import Actor
from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.models import Entity
from neotoma.substrate.store import open_write

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, tzinfo=UTC)
NOTE = {"entities": [{"entity_type": "note", "title": "inner"}]}


def someone(*scopes: str) -> Principal:
    expanded = expand(scopes)
    return Principal(Actor("agent:0", "agent", "someone"), expanded, audience_of(expanded, "agent:0"))


def test_the_inner_one_writes_in_the_same_transaction_and_is_audited() -> None:
    principal = someone("read", "write")
    with open_write(principal.actor, NOW) as write:
        context = Context(principal, "process", NOW, "request-1", write)
        answer = perform(context, "store", NOTE)
        seen = perform(context, "retrieve_entities", {"entity_type": "note"})
    assert [row["entity_id"] for row in seen["entities"]] == [answer["entities"][0]["entity_id"]]
    entry = AuditEntry.objects.get()
    assert (entry.operation, entry.outcome, entry.actor_key, entry.request_id) == (
        "store",
        "done",
        "agent:0",
        "request-1",
    )


def test_it_lets_nobody_do_more_than_the_caller_may() -> None:
    principal = someone("read")
    with pytest.raises(ScopeMissing), open_write(principal.actor, NOW) as write:
        perform(Context(principal, "process", NOW, "", write), "store", NOTE)
    assert not Entity.objects.exists()


def test_a_scope_that_is_lent_suffices_for_this_call() -> None:
    principal = someone("read")
    with open_write(principal.actor, NOW) as write:
        perform(Context(principal, "process", NOW, "", write), "store", NOTE, lends=("read",))
    assert Entity.objects.get().name == "inner"


def test_what_the_inner_one_refuses_undoes_both() -> None:
    principal = someone("read", "write")
    with pytest.raises(InvalidInput), open_write(principal.actor, NOW) as write:
        context = Context(principal, "process", NOW, "", write)
        perform(context, "store", NOTE)
        perform(context, "store", {"entities": []})
    assert not Entity.objects.exists()
    assert not AuditEntry.objects.exists()


def test_an_unknown_name_is_refused_and_a_read_cannot_write() -> None:
    principal = someone("read", "write")
    with pytest.raises(UnknownOperation):
        perform(Context(principal, "process", NOW), "conjure", {})
    with pytest.raises(RuntimeError):
        perform(Context(principal, "process", NOW), "store", NOTE)

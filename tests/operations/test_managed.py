"""Generic writes reach nothing that has operations of its own: not the entity, not what it is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Entity, Relationship
from neotoma.substrate.schema import declared_types, type_of
from tests.support import callers
from tests.triage.desk import filed, live, plan_of, settled

pytestmark = pytest.mark.django_db

MANAGED = sorted(name for name, kind in declared_types().items() if kind.managed_by)
Attempt = Callable[[str, str, str], tuple[str, dict[str, Any]]]
"""From a managed type, its entity and a task of the caller's own to a call: operation and arguments."""
COMPOSING = ("PART_OF", "DUPLICATE_OF", "SUPERSEDES")


@pytest.fixture
def things() -> dict[str, str]:
    """One entity of every managed type, and a task of the operator's own."""
    boss = callers.operator()
    live()
    issue = filed()
    settled()
    watched = {"entity_ids": [issue["entity_id"]], "delivery_method": "sse"}
    fields = [{"name": "title", "type": "string"}]
    call("register_entity_type", {"entity_type": "errand", "description": "A way.", "fields": fields}, boss)
    call("configure_submissions", {"config_key": "tickets", "target_entity_type": "ticket"}, boss)
    return {
        "issue": issue["entity_id"],
        "conversation": issue["conversation_id"],
        "conversation_message": Entity.objects.get(entity_type="conversation_message").pk,
        "plan": plan_of(issue).pk,
        "daemon_config": Entity.objects.get(entity_type="daemon_config").pk,
        "subscription": call("subscribe", watched, boss)["subscription_id"],
        "entity_type": Entity.objects.get(entity_type="entity_type").pk,
        "submission_config": Entity.objects.get(entity_type="submission_config").pk,
        "task": callers.stored(boss, title="dig"),
    }


def refusal(name: str, **arguments: Any) -> tuple[int, str]:
    """What the operator, who may do everything, is told; nothing is written."""
    before = (Entity.objects.count(), Relationship.objects.count())
    with pytest.raises(Refusal) as refused:
        call(name, arguments, callers.operator())
    assert (Entity.objects.count(), Relationship.objects.count()) == before
    return refused.value.status, refused.value.error_code


def edge(source: str, target: str, kind: str = "REFERS_TO") -> dict[str, Any]:
    return {"relationship_type": kind, "source_entity_id": source, "target_entity_id": target}


def _edge_to(relation: str) -> Attempt:
    return lambda kind, own, task: ("create_relationships", {"relationships": [edge(task, own, relation)]})


def _stored_edge_to(relation: str) -> Attempt:
    def attempt(kind: str, own: str, task: str) -> tuple[str, dict[str, Any]]:
        stated = {"relationship_type": relation, "source_index": 0, "target_entity_id": own}
        return "store", {"entities": [{"entity_type": "task", "title": "z"}], "relationships": [stated]}

    return attempt


ATTEMPTS: dict[str, Attempt] = {
    "a new one": lambda kind, own, task: ("store", {"entities": [{"entity_type": kind, "title": "x"}]}),
    "a planned one": lambda kind, own, task: ("store", {"entities": [{"entity_type": kind}], "commit": False}),
    "a fact": lambda kind, own, task: ("store", {"entities": [{"entity_type": kind, "target_id": own}]}),
    "a fact under a false type": lambda kind, own, task: (
        "store",
        {"entities": [{"entity_type": "task", "target_id": own, "status": "done"}]},
    ),
    "a planned fact": lambda kind, own, task: (
        "store",
        {"entities": [{"entity_type": "task", "target_id": own, "status": "done"}], "commit": False},
    ),
    "an edge from it": lambda kind, own, task: ("create_relationships", {"relationships": [edge(own, task)]}),
    "an edge from it, stored": lambda kind, own, task: (
        "store",
        {"entities": [{"entity_type": "task", "title": "y"}], "relationships": [edge(own, task)]},
    ),
    "a removed edge": lambda kind, own, task: ("delete_relationship", edge(own, task)),
    "a correction": lambda kind, own, task: ("correct", {"entity_id": own, "field": "title", "value": "z"}),
    "one of many corrections": lambda kind, own, task: (
        "correct_many",
        {"corrections": [{"entity_id": one, "field": "title", "value": "z"} for one in (task, own)]},
    ),
    "a merge into it": lambda kind, own, task: ("merge_entities", {"from_entity_id": task, "to_entity_id": own}),
    "a merge of it": lambda kind, own, task: ("merge_entities", {"from_entity_id": own, "to_entity_id": task}),
    "a split": lambda kind, own, task: ("split_entity", {"entity_id": own, "observation_ids": ["obs_1"]}),
    "a deletion": lambda kind, own, task: ("delete_entity", {"entity_id": own}),
    "a restoration": lambda kind, own, task: ("restore_entity", {"entity_id": own}),
    **{f"a {kind} edge to it": _edge_to(kind) for kind in COMPOSING},
    **{f"a {kind} edge to it, stored": _stored_edge_to(kind) for kind in COMPOSING},
}


def test_every_managed_type_is_tried(things: dict[str, str]) -> None:
    assert sorted(things.keys() - {"task"}) == MANAGED


@pytest.mark.parametrize("kind", MANAGED)
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_generic_write_is_refused_with_the_operations_to_use(attempt: str, kind: str, things: dict[str, str]) -> None:
    name, arguments = ATTEMPTS[attempt](kind, things[kind], things["task"])
    assert refusal(name, **arguments) == (403, "ERR_MANAGED_TYPE")
    with pytest.raises(Refusal) as refused:
        call(name, arguments, callers.operator())
    assert refused.value.details["use"] == list(type_of(kind).managed_by)


@pytest.mark.parametrize("kind", MANAGED)
def test_anything_may_refer_to_a_managed_entity(kind: str, things: dict[str, str]) -> None:
    made = call("create_relationships", {"relationships": [edge(things["task"], things[kind])]}, callers.operator())
    assert len(made["relationships"]) == 1
    assert call("delete_relationship", edge(things["task"], things[kind]), callers.operator())["deleted"] is True


def test_what_one_may_not_see_is_unknown_whatever_it_is(things: dict[str, str]) -> None:
    blind = callers.agent("read", "write", name="blind")
    own = callers.stored(blind, title="mine")
    for target in (things["plan"], "ent_" + "0" * 24):
        with pytest.raises(Refusal) as refused:
            call("create_relationships", {"relationships": [edge(own, target, "PART_OF")]}, blind)
        assert (refused.value.status, refused.value.error_code) == (422, "LINK_TARGET_UNKNOWN")

"""What `store` may reach: identity leads a caller to nothing that is not theirs to change."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from neotoma.operations.invoke import Caller, call
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Entity, Observation
from neotoma.substrate.store import open_write
from tests.support import callers

pytestmark = pytest.mark.django_db

PLAN = {"entity_type": "note", "title": "secret plan"}


def store(caller: Caller, *entities: dict[str, Any], **more: Any) -> dict[str, Any]:
    return call("store", {"entities": list(entities), **more}, caller)


def refused(caller: Caller, *entities: dict[str, Any], **more: Any) -> Refusal:
    with pytest.raises(Refusal) as info:
        store(caller, *entities, **more)
    return info.value


@pytest.fixture
def held() -> Entity:
    """An agent's entity with something to lose."""
    return Entity.objects.get(pk=callers.stored(callers.agent(), **PLAN, salary=100))


@pytest.mark.parametrize("scopes", [("report",), ("write",)])
def test_a_name_does_not_lead_to_what_others_stored(held: Entity, scopes: tuple[str, ...]) -> None:
    [answer] = store(callers.agent(*scopes), {**PLAN, "salary": None})["entities"]
    assert answer["action"] == "created"
    assert answer["entity_id"] != held.pk
    assert "100" not in str(answer)
    assert Observation.objects.filter(entity=held).count() == 1


def test_a_plan_of_a_reporter_does_not_tell_what_others_stored(held: Entity) -> None:
    reporter = callers.reporter()
    plans = [
        store(reporter, {"entity_type": "note", "title": title}, commit=False)["entities"][0]["action"]
        for title in ("secret plan", "no such plan")
    ]
    assert plans == ["would_create", "would_create"]


def test_a_reporters_names_are_their_own() -> None:
    one, two = callers.reporter("one"), callers.reporter("two")
    ids = [callers.stored(who, title="x") for who in (one, two, one)]
    assert ids[0] == ids[2] != ids[1]
    assert [store(one, {"entity_type": "task", "title": "x"}, commit=False)["entities"][0]["entity_id"]] == ids[:1]


def test_a_reporters_entity_is_seen_by_agents_and_by_no_other_reporter() -> None:
    mine = callers.stored(callers.reporter("one"), title="x")
    assert call("retrieve_entity_snapshot", {"entity_id": mine}, callers.agent())["snapshot"]["title"] == "x"
    with pytest.raises(Refusal) as info:
        call("retrieve_entity_snapshot", {"entity_id": mine}, callers.reporter("two"))
    assert info.value.error_code == "NOT_FOUND"


@pytest.mark.parametrize("commit", [True, False])
def test_a_private_entity_of_that_name_is_neither_changed_nor_shown(commit: bool) -> None:
    with open_write(SYSTEM, timezone.now()) as write:
        [private] = write.put([Draft("note", {"title": "secret plan", "salary": 100}, visibility="private")])
    refusal = refused(callers.agent(), {**PLAN, "salary": None}, commit=commit)
    assert (refusal.error_code, refusal.details) == ("NOT_YOURS", {"path": "entities.0"})
    assert "100" not in str(refusal.body())
    assert Observation.objects.filter(entity=private.entity).count() == 1
    assert Entity.objects.get(pk=private.entity.pk).raw_fragments | private.entity.snapshot == {
        "title": "secret plan",
        "salary": 100,
    }


@pytest.mark.parametrize("commit", [True, False])
def test_a_merge_does_not_lead_to_what_others_stored(held: Entity, commit: bool) -> None:
    reporter = callers.reporter()
    merge = {"from_entity_id": callers.stored(reporter, **PLAN), "to_entity_id": held.pk}
    call("merge_entities", merge, callers.agent())
    assert refused(reporter, {**PLAN, "salary": None}, commit=commit).error_code == "NOT_YOURS"
    assert Observation.objects.filter(entity=held).count() == 1
    assert "salary" not in Entity.objects.get(pk=merge["from_entity_id"]).snapshot


def test_an_agent_adds_to_what_the_instance_knows_by_that_name(held: Entity) -> None:
    [answer] = store(callers.agent("read", "write", name="another"), {**PLAN, "salary": 200})["entities"]
    assert (answer["entity_id"], answer["action"]) == (held.pk, "updated")


def test_an_edge_leaves_only_what_the_caller_may_write(held: Entity) -> None:
    Entity.objects.filter(pk=held.pk).update(visibility="public")
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": held.pk, "target_index": 0}
    task = {"entity_type": "task", "title": "x"}
    assert refused(callers.reporter(), task, relationships=[edge]).error_code == "NOT_YOURS"
    assert len(store(callers.agent(), task, relationships=[edge])["relationships_created"]) == 1


def test_one_edge_stated_twice_in_a_call_is_one_edge() -> None:
    edges = [
        {"relationship_type": "REFERS_TO", "source_index": 0, "target_index": 1, "metadata": {"note": note}}
        for note in ("a", "b")
    ]
    tasks = [{"entity_type": "task", "title": title} for title in ("x", "y")]
    answer = store(callers.agent(), *tasks, relationships=edges)
    assert len(set(answer["relationships_created"])) == 1

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from neotoma.operations.invoke import call
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft
from neotoma.substrate.errors import InvalidInput, NotFound
from neotoma.substrate.models import Entity
from neotoma.substrate.reading import iso
from neotoma.substrate.store import open_write
from tests.support import callers

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-01-01T00:00:00"])
def test_a_time_that_utc_lacks_or_without_a_zone_is_refused(moment: str) -> None:
    agent = callers.agent()
    entity_id = callers.stored(agent, title="x")
    with pytest.raises(InvalidInput) as info:
        call("retrieve_entity_snapshot", {"entity_id": entity_id, "at": moment}, agent)
    assert info.value.details["fields"][0]["path"] == "at"


def test_before_its_first_fact_an_entity_is_empty() -> None:
    agent = callers.agent()
    entity_id = callers.stored(agent, title="x")
    answer = call("retrieve_entity_snapshot", {"entity_id": entity_id, "at": "0001-01-01T00:00:00Z"}, agent)
    assert (answer["snapshot"], answer["observation_count"]) == ({}, 0)


def moment() -> str:
    """Now, later than every write before and earlier than every write after."""
    time.sleep(0.002)
    now = datetime.now(UTC).isoformat()
    time.sleep(0.002)
    return now


@pytest.mark.parametrize("name", ["at", "at_ingested"])
@pytest.mark.parametrize("given", ["9999-01-01T00:00:00Z", "soon", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z"])
def test_a_time_to_come_or_none_at_all_is_refused_by_name(name: str, given: str) -> None:
    agent = callers.agent()
    entity_id = callers.stored(agent, title="x")
    with pytest.raises(InvalidInput) as info:
        call("retrieve_entity_snapshot", {"entity_id": entity_id, name: given}, agent)
    assert info.value.details["fields"][0]["path"] == name


def test_what_was_known_at_a_time_leaves_out_what_was_learned_later_of_before() -> None:
    agent = callers.agent()
    entity_id = callers.stored(agent, title="x", n=1)
    then = moment()
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    with open_write(SYSTEM, timezone.now()) as write:
        write.put([Draft("task", {"colour": "red"}, entity_id=entity_id, observed_at=long_ago)])
    callers.stored(agent, title="x", n=2)

    def snapshot(**times: str) -> dict[str, Any]:
        found: dict[str, Any] = call("retrieve_entity_snapshot", {"entity_id": entity_id, **times}, agent)["snapshot"]
        return found

    assert snapshot() == {"title": "x", "n": 2, "colour": "red"}
    assert snapshot(at=then) == {"title": "x", "n": 1, "colour": "red"}
    assert snapshot(at_ingested=then) == {"title": "x", "n": 1}
    assert snapshot(at="2020-06-01T00:00:00Z") == {"colour": "red"}
    assert snapshot(at="2020-06-01T00:00:00Z", at_ingested=then) == {}


def test_what_was_known_at_a_time_knows_the_merges_and_splits_of_its_time() -> None:
    agent = callers.agent()
    gone, kept = callers.stored(agent, title="gone", a=1), callers.stored(agent, title="kept", b=2)
    apart = moment()
    call("merge_entities", {"from_entity_id": gone, "to_entity_id": kept}, agent)
    merged = moment()
    first = Entity.objects.get(pk=gone).observations.get().public_id
    new = call("split_entity", {"entity_id": kept, "observation_ids": [first]}, agent)["new_entity_id"]
    split = moment()
    call("split_entity", {"entity_id": kept, "merged_entity_id": gone}, agent)

    def known(entity_id: str, at: str) -> tuple[str, dict[str, Any]]:
        found = call("retrieve_entity_snapshot", {"entity_id": entity_id, "at_ingested": at}, agent)
        return found["entity_id"], found["snapshot"]

    assert known(gone, apart) == (gone, {"title": "gone", "a": 1})
    assert known(kept, apart) == (kept, {"title": "kept", "b": 2})
    assert known(gone, merged) == known(kept, merged) == (kept, {"title": "kept", "a": 1, "b": 2})
    assert known(gone, split) == known(kept, split) == (kept, {"title": "kept", "b": 2})
    assert [known(new, at)[1] for at in (merged, split)] == [{}, {"title": "gone", "a": 1}]
    assert known(gone, moment()) == (gone, {})


def test_the_past_of_a_merge_is_hidden_from_whom_it_is_hidden() -> None:
    boss = callers.operator()
    gone, kept = callers.stored(boss, title="gone"), callers.stored(boss, title="kept")
    Entity.objects.filter(pk=kept).update(visibility="private")
    call("merge_entities", {"from_entity_id": gone, "to_entity_id": kept}, boss)
    with pytest.raises(NotFound):
        call("retrieve_entity_snapshot", {"entity_id": gone, "at_ingested": moment()}, callers.agent())


def test_provenance_names_the_observation_and_the_actor_of_each_field() -> None:
    one, two = callers.agent("read", "write", name="one"), callers.agent("read", "write", name="two")
    entity_id = callers.stored(one, title="x", n=1)
    callers.stored(two, title="x", n=2)
    brief = call("retrieve_entity_snapshot", {"entity_id": entity_id}, one)["provenance"]
    last = Entity.objects.get(pk=entity_id).observations.latest("pk")
    assert brief["n"] == {"observation_id": last.public_id, "actor": two.principal.actor.key}
    detailed = call("retrieve_entity_snapshot", {"entity_id": entity_id, "response_format": "detailed"}, one)
    assert detailed["provenance"]["n"] == {**brief["n"], "observed_at": iso(last.observed_at), "correction": False}


@pytest.mark.parametrize("merges", [0, 5])
def test_the_past_costs_as_many_queries_however_much_was_merged(
    merges: int, django_assert_max_num_queries: Any
) -> None:
    agent = callers.agent()
    kept = callers.stored(agent, title="kept")
    for number in range(merges):
        gone = callers.stored(agent, title=f"gone {number}")
        call("merge_entities", {"from_entity_id": gone, "to_entity_id": kept}, agent)
    with django_assert_max_num_queries(3):
        call("retrieve_entity_snapshot", {"entity_id": kept}, agent)
    with django_assert_max_num_queries(7):
        call("retrieve_entity_snapshot", {"entity_id": kept, "at_ingested": moment()}, agent)
    with django_assert_max_num_queries(5):
        call("retrieve_entity_snapshot", {"entity_id": kept, "at": moment()}, agent)

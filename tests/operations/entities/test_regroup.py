"""Merging and splitting: what follows, what returns, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from neotoma.access.authenticate import from_guest_token
from neotoma.access.models import GuestToken
from neotoma.operations.invoke import Caller, call
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Entity, Event, Regrouping, Relationship
from tests.substrate.test_rebuild import image
from tests.support import callers
from tests.webhooks import world

pytestmark = pytest.mark.django_db


@pytest.fixture
def ant() -> Caller:
    return callers.agent()


def merge(caller: Caller, gone: str, kept: str, **more: Any) -> dict[str, Any]:
    return call("merge_entities", {"from_entity_id": gone, "to_entity_id": kept, **more}, caller)


def split(caller: Caller, entity_id: str, **more: Any) -> dict[str, Any]:
    return call("split_entity", {"entity_id": entity_id, **more}, caller)


def read(caller: Caller, entity_id: str, **more: Any) -> dict[str, Any]:
    return call("retrieve_entity_snapshot", {"entity_id": entity_id, **more}, caller)


def relate(caller: Caller, source: str, target: str, kind: str = "REFERS_TO") -> None:
    edge = {"relationship_type": kind, "source_entity_id": source, "target_entity_id": target}
    call("create_relationships", {"relationships": [edge]}, caller)


def edges() -> set[tuple[str, str, str]]:
    rows = Relationship.objects.filter(deleted_at=None)
    return set(rows.values_list("source_id", "relationship_type", "target_id"))


def refused(caller: Caller, name: str, **arguments: Any) -> Refusal:
    before = (Regrouping.objects.count(), Event.objects.count())
    with pytest.raises(Refusal) as info:
        call(name, arguments, caller)
    assert (Regrouping.objects.count(), Event.objects.count()) == before
    return info.value


def observations(entity_id: str) -> list[str]:
    rows = Entity.objects.get(pk=entity_id).observations.order_by("pk")
    return [row.public_id for row in rows]


def test_a_merged_entity_reads_as_what_it_became(ant: Caller) -> None:
    gone, kept = callers.stored(ant, title="gone", a=1, b=1), callers.stored(ant, title="kept", b=2, c=3)
    answer = merge(ant, gone, kept)
    assert (answer["entity_id"], answer["action"], answer["fields_changed"]) == (kept, "merged", ["a"])
    for entity_id in (gone, kept):
        found = read(ant, entity_id)
        assert found["entity_id"] == kept
        assert found["snapshot"] == {"title": "kept", "a": 1, "b": 2, "c": 3}
        assert found["observation_count"] == 2
    listed = call("retrieve_entities", {"entity_type": "task"}, ant)["entities"]
    assert [row["entity_id"] for row in listed] == [kept]


def test_writes_to_a_merged_entity_reach_what_it_became(ant: Caller) -> None:
    gone, kept = callers.stored(ant, title="gone"), callers.stored(ant, title="kept")
    merge(ant, gone, kept)
    for entity in ({"entity_type": "task", "target_id": gone, "n": 1}, {"entity_type": "task", "title": "gone"}):
        [stored] = call("store", {"entities": [entity]}, ant)["entities"]
        assert stored["entity_id"] == kept
    assert read(ant, kept)["snapshot"] == {"title": "gone", "n": 1}
    assert call("delete_entity", {"entity_id": gone}, ant)["entity_id"] == kept


def test_the_events_name_both_and_what_changed(ant: Caller) -> None:
    gone, kept = callers.stored(ant, title="gone", a=1), callers.stored(ant, title="kept")
    after = Event.objects.latest("seq").seq
    merge(ant, gone, kept)
    piece = split(ant, kept, observation_ids=observations(gone))["new_entity_id"]
    events = Event.objects.filter(seq__gt=after).order_by("seq")
    assert [(event.event_type, event.entity_id, event.target_id) for event in events] == [
        ("entity.merged", gone, kept),
        ("entity.updated", kept, ""),
        ("entity.split", kept, piece),
        ("entity.updated", kept, ""),
        ("entity.created", piece, ""),
    ]
    assert events[1].fields_changed == {"a": {"old": None, "new": 1}}
    assert events[3].fields_changed == {"a": {"old": 1, "new": None}}


def test_a_merge_taken_back_leaves_nothing_of_it(ant: Caller) -> None:
    gone, kept, other = (callers.stored(ant, title=title, x=title) for title in ("gone", "kept", "other"))
    relate(ant, gone, other)
    relate(ant, other, gone, "PART_OF")
    before, stood = {pk: read(ant, pk) for pk in (gone, kept)}, edges()
    merge(ant, gone, kept)
    assert edges() == {(kept, "REFERS_TO", other), (other, "PART_OF", kept)}
    answer = split(ant, kept, merged_entity_id=gone)
    assert (answer["entity_id"], answer["new_entity_id"]) == (kept, gone)
    assert {pk: read(ant, pk) for pk in (gone, kept)} == before
    assert edges() == stood


def test_facts_stated_meanwhile_stay_with_the_one_that_stayed(ant: Caller) -> None:
    gone, kept = callers.stored(ant, title="gone", n=1), callers.stored(ant, title="kept")
    merge(ant, gone, kept)
    callers.stored(ant, title="gone", n=2)
    split(ant, kept, merged_entity_id=gone)
    assert read(ant, gone)["snapshot"] == {"title": "gone", "n": 1}
    assert read(ant, kept)["snapshot"] == {"title": "gone", "n": 2}


def test_edges_that_say_the_same_after_a_merge_are_one_until_it_is_taken_back(ant: Caller) -> None:
    gone, kept, other = (callers.stored(ant, title=title) for title in ("gone", "kept", "other"))
    for source, target in ((gone, other), (kept, other), (gone, kept), (other, gone), (other, kept)):
        relate(ant, source, target)
    stood = edges()
    merge(ant, gone, kept)
    assert edges() == {(kept, "REFERS_TO", other), (other, "REFERS_TO", kept)}
    split(ant, kept, merged_entity_id=gone)
    assert edges() == stood


def test_an_edge_taken_back_while_merged_does_not_return(ant: Caller) -> None:
    gone, kept, other = (callers.stored(ant, title=title) for title in ("gone", "kept", "other"))
    relate(ant, gone, other)
    relate(ant, kept, other)
    merge(ant, gone, kept)
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": gone, "target_entity_id": other}
    call("delete_relationship", edge, ant)
    assert edges() == set()
    split(ant, kept, merged_entity_id=gone)
    assert edges() == set()


def test_stating_a_moved_edge_again_changes_nothing(ant: Caller) -> None:
    gone, kept, other = (callers.stored(ant, title=title) for title in ("gone", "kept", "other"))
    relate(ant, gone, other)
    merge(ant, gone, kept)
    events = Event.objects.count()
    for source in (gone, kept):
        relate(ant, source, other)
    assert (Event.objects.count(), Relationship.objects.count()) == (events, 1)


def test_an_edge_between_two_that_became_one_is_refused(ant: Caller) -> None:
    gone, kept = callers.stored(ant, title="gone"), callers.stored(ant, title="kept")
    merge(ant, gone, kept)
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": gone, "target_entity_id": kept}
    refusal = refused(ant, "create_relationships", relationships=[edge])
    assert refusal.details["fields"][0]["path"] == "relationships.0"


def test_merges_of_merged_ones_come_apart_as_they_came_together(ant: Caller) -> None:
    a, b, c = (callers.stored(ant, title=title, **{title: 1}) for title in "abc")
    merge(ant, a, b)
    merge(ant, b, c)
    assert {read(ant, pk)["entity_id"] for pk in (a, b, c)} == {c}
    assert read(ant, c)["snapshot"] == {"title": "c", "a": 1, "b": 1, "c": 1}
    split(ant, c, merged_entity_id=b)
    assert [read(ant, pk)["entity_id"] for pk in (a, b, c)] == [b, b, c]
    assert read(ant, b)["snapshot"] == {"title": "b", "a": 1, "b": 1}
    merge(ant, b, c)
    split(ant, c, merged_entity_id=a)
    assert [read(ant, pk)["entity_id"] for pk in (a, b, c)] == [a, c, c]


def test_named_observations_move_to_a_new_entity_and_both_are_reduced_again(ant: Caller) -> None:
    one = callers.stored(ant, title="Ada", born=1815)
    callers.stored(ant, title="Ada", target_id=one, email="other@example.com", full_name="Ada B.")
    first, second = observations(one)
    answer = split(ant, one, observation_ids=[second])
    new = answer["new_entity_id"]
    assert (answer["observation_count"], answer["new_observation_count"]) == (1, 1)
    assert answer["fields_changed"] == ["email", "full_name"]
    assert read(ant, one)["snapshot"] == {"title": "Ada", "born": 1815}
    found = read(ant, new)
    assert found["snapshot"] == {"title": "Ada", "email": "other@example.com", "full_name": "Ada B."}
    assert found["provenance"]["email"]["observation_id"] == second
    merge(ant, new, one)
    assert read(ant, one)["snapshot"].keys() == {"title", "born", "email", "full_name"}
    assert first in {entry["observation_id"] for entry in read(ant, one)["provenance"].values()}


def test_a_split_off_entity_is_found_by_what_names_it(ant: Caller) -> None:
    one = callers.stored(ant, title="Ada")
    call("store", {"entities": [{"entity_type": "task", "target_id": one, "title": "Grace", "n": 1}]}, ant)
    new = split(ant, one, observation_ids=observations(one)[1:])["new_entity_id"]
    assert callers.stored(ant, title="Grace", n=2) == new
    assert callers.stored(ant, title="Ada") == one


def test_splits_of_merged_and_split_ones_count_each_fact_once(ant: Caller) -> None:
    a, b = callers.stored(ant, title="a", x=1), callers.stored(ant, title="b", y=1)
    callers.stored(ant, title="a", x=2)
    moved = observations(a)[1]
    merge(ant, a, b)
    new = split(ant, b, observation_ids=[moved])["new_entity_id"]
    split(ant, b, merged_entity_id=a)
    assert [read(ant, pk)["snapshot"].get("x") for pk in (a, b, new)] == [1, None, 2]
    merge(ant, new, b)
    again = split(ant, b, observation_ids=[moved])["new_entity_id"]
    merge(ant, again, a)
    assert [read(ant, pk)["snapshot"].get("x") for pk in (a, b)] == [2, None]
    assert sum(read(ant, pk)["observation_count"] for pk in (a, b)) == 3


def test_a_rebuild_after_merges_and_splits_changes_nothing(ant: Caller) -> None:
    a, b, c = (callers.stored(ant, title=title, n=number) for number, title in enumerate("abc"))
    callers.stored(ant, title="a", n=7)
    merge(ant, a, b)
    split(ant, b, observation_ids=observations(a)[1:])
    merge(ant, b, c)
    before = image()
    call_command("rebuild_projections", verbosity=0)
    assert image() == before


def test_what_is_refused(ant: Caller) -> None:
    one, other, gone = (callers.stored(ant, title=title) for title in ("one", "other", "gone"))
    note = callers.stored(ant, entity_type="note", title="note")
    call("delete_entity", {"entity_id": gone}, ant)

    def reason(source: str, target: str) -> tuple[int, str]:
        refusal = refused(ant, "merge_entities", from_entity_id=source, to_entity_id=target)
        named = refusal.details.get("reason") or refusal.details["fields"][0]["path"]
        return refusal.status, named

    assert reason(one, one) == (422, "to_entity_id")
    assert reason(one, note) == (422, "to_entity_id")
    assert reason(gone, one) == reason(one, gone) == (409, "deleted")
    merge(ant, one, other)
    assert reason(other, one) == (409, "cycle")
    assert merge(ant, one, other)["action"] == "unchanged"
    assert refused(ant, "merge_entities", from_entity_id=one, to_entity_id="ent_" + "0" * 24).status == 404


def test_what_a_split_refuses(ant: Caller) -> None:
    one, other = callers.stored(ant, title="one"), callers.stored(ant, title="other")
    callers.stored(ant, title="one", n=1)
    call("delete_entity", {"entity_id": one}, ant)
    call("restore_entity", {"entity_id": one}, ant)
    stated, life = observations(one)[:2], observations(one)[2:]

    def path(**arguments: Any) -> str:
        return str(refused(ant, "split_entity", entity_id=one, **arguments).details["fields"][0]["path"])

    assert path() == path(observation_ids=stated[:1], merged_entity_id=other) == "observation_ids"
    assert path(observation_ids=[stated[0], *observations(other)]) == "observation_ids.1"
    assert path(observation_ids=[stated[0], life[0]]) == "observation_ids.1"
    assert path(observation_ids=stated) == "observation_ids"
    not_merged = refused(ant, "split_entity", entity_id=one, merged_entity_id=other)
    assert not_merged.details["reason"] == "not_merged"
    call("delete_entity", {"entity_id": one}, ant)
    assert refused(ant, "split_entity", entity_id=one, observation_ids=stated[:1]).details["reason"] == "deleted"


def test_a_merge_shows_nobody_what_they_could_not_see(ant: Caller) -> None:
    boss = callers.operator()
    private, public = callers.stored(boss, title="private"), callers.stored(boss, title="public")
    Entity.objects.filter(pk=private).update(visibility="private")
    refusal = refused(boss, "merge_entities", from_entity_id=private, to_entity_id=public)
    assert refusal.details["reason"] == "wider_visibility"
    assert refused(ant, "merge_entities", from_entity_id=private, to_entity_id=public).status == 404
    assert merge(boss, public, private)["action"] == "merged"
    with pytest.raises(Refusal) as info:
        read(ant, public)
    assert info.value.status == 404


def test_reporters_regroup_only_their_own(ant: Caller) -> None:
    one, two = callers.reporter("one"), callers.reporter("two")
    mine, also, theirs = (
        callers.stored(who, title=title) for who, title in ((one, "mine"), (one, "also"), (two, "theirs"))
    )
    Entity.objects.filter(pk=theirs).update(visibility="public")
    assert refused(one, "merge_entities", from_entity_id=mine, to_entity_id=theirs).error_code == "NOT_YOURS"
    assert merge(one, mine, also)["action"] == "merged"
    assert refused(two, "split_entity", entity_id=also, merged_entity_id=mine).status == 404
    assert split(one, also, merged_entity_id=mine)["new_entity_id"] == mine


def test_a_merge_repeated_under_its_key_answers_the_same(ant: Caller) -> None:
    gone, kept = callers.stored(ant, title="gone"), callers.stored(ant, title="kept")
    first = merge(ant, gone, kept, idempotency_key="k")
    assert merge(ant, gone, kept, idempotency_key="k") == {**first, "replayed": True}
    assert Regrouping.objects.count() == 1


def test_subscriptions_by_id_follow_and_stop_following(ant: Caller) -> None:
    gone, kept = callers.stored(ant, title="gone"), callers.stored(ant, title="kept")
    mine = world.subscribe(ant, entity_ids=[gone])
    merge(ant, gone, kept)
    callers.stored(ant, title="kept", n=1)

    def delivered() -> list[tuple[str, str]]:
        seqs = [delivery.seq for delivery in world.fan_out()]
        rows = Event.objects.filter(seq__in=seqs).order_by("seq")
        return [(event.event_type, event.entity_id) for event in rows]

    assert delivered() == [("entity.merged", gone), ("entity.updated", kept)]
    log = call("list_events", {"after": mine["cursor"], "entity_ids": [gone]}, ant)["events"]
    assert [event["event_type"] for event in log] == ["entity.merged", "entity.updated"]
    split(ant, kept, merged_entity_id=gone)
    before = len(delivered())
    callers.stored(ant, title="kept", n=2)
    assert len(delivered()) == before
    callers.stored(ant, title="gone", n=3)
    assert len(delivered()) == before + 1


def test_a_guests_grant_follows_its_thread(ant: Caller) -> None:
    gone, kept = world.thread("gone"), world.thread("kept")
    token = world.guest(gone)
    guest = callers.guest(token)
    with pytest.raises(Refusal):
        call("subscribe", {"entity_ids": [kept], "delivery_method": "sse"}, guest)
    merge(callers.operator(), gone, kept)
    principal = from_guest_token(token)
    seen = Entity.objects.visible_to(principal.audience).values_list("pk", flat=True)
    assert set(seen) == {gone, kept}
    assert call("subscribe", {"entity_ids": [kept], "delivery_method": "sse"}, callers.guest(token))["entity_ids"] == [
        kept
    ]
    own = call("subscribe", {"delivery_method": "sse"}, callers.guest(token))
    call("store", {"entities": [{"entity_type": "report", "target_id": kept, "n": 1}]}, callers.operator())
    told = call("list_events", {"after": own["cursor"], "entity_ids": [gone]}, callers.guest(token))["events"]
    assert [event["entity_id"] for event in told] == [kept]
    split(callers.operator(), kept, merged_entity_id=gone)
    seen = Entity.objects.visible_to(from_guest_token(token).audience).values_list("pk", flat=True)
    assert set(seen) == {gone}
    assert GuestToken.objects.get().thread_id == gone


def test_the_number_of_queries_does_not_grow(ant: Caller, django_assert_max_num_queries: Any) -> None:
    gone, kept = callers.stored(ant, title="gone"), callers.stored(ant, title="kept")
    others = [callers.stored(ant, title=f"other {number}") for number in range(20)]
    for other in others:
        relate(ant, gone, other)
        relate(ant, other, gone)
    with django_assert_max_num_queries(31):
        merge(ant, gone, kept)
    with django_assert_max_num_queries(34):
        split(ant, kept, merged_entity_id=gone)
    assert len(edges()) == 40

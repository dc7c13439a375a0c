from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pydantic import BaseModel

from neotoma.substrate import schema
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft, Edge, Stored
from neotoma.substrate.errors import ExpectationFailed, InvalidInput, NotFound, UnknownLinkTarget
from neotoma.substrate.models import Entity, Event, EventBatch, Observation, Relationship
from neotoma.substrate.schema import EntityType, register_type
from neotoma.substrate.store import open_write

pytestmark = pytest.mark.django_db


class InvoiceFields(BaseModel):
    number: str
    total: int | None = None
    tags: list[str] | None = None


@pytest.fixture
def invoice(monkeypatch: pytest.MonkeyPatch) -> EntityType:
    monkeypatch.setattr(schema, "_TYPES", dict(schema._TYPES))
    return register_type(
        EntityType(
            name="invoice",
            description="An invoice.",
            model=InvoiceFields,
            identity=(("number",),),
            indexed=frozenset({"total"}),
            reducers={"tags": "merge_array"},
        )
    )


def put(*drafts: Draft) -> list[Stored]:
    with open_write(SYSTEM, timezone.now()) as write:
        return write.put(list(drafts))


def test_the_same_identity_is_the_same_entity() -> None:
    [first] = put(Draft("task", {"title": "Write  the report"}))
    [second] = put(Draft("task", {"title": "write the REPORT", "done": True}))
    assert first.entity.pk == second.entity.pk
    assert (first.action, second.action) == ("created", "updated")
    assert Observation.objects.filter(entity=first.entity).count() == 2


def test_parts_of_an_identity_never_run_together() -> None:
    ids = {put(Draft("task", {"title": title}))[0].entity.pk for title in ("a|b", "a", "b", "a b")}
    assert len(ids) == 4


def test_a_write_that_changes_nothing_emits_nothing() -> None:
    [first] = put(Draft("task", {"title": "t"}))
    events = Event.objects.count()
    [again] = put(Draft("task", {"title": "t"}))
    assert again.action == "unchanged"
    assert Event.objects.count() == events
    assert Entity.objects.get(pk=first.entity.pk).updated_at == first.entity.updated_at


def test_each_transaction_saves_one_batch_over_its_events() -> None:
    put(Draft("task", {"title": "a"}), Draft("task", {"title": "b"}))
    batch = EventBatch.objects.get()
    assert (batch.first_seq, batch.last_seq) == tuple(Event.objects.order_by("seq").values_list("seq", flat=True))[0::3]
    assert (
        list(Event.objects.order_by("seq").values_list("event_type", flat=True))
        == [
            "entity.created",
            "observation.created",
        ]
        * 2
    )


def test_unknown_fields_are_kept_aside_and_named(invoice: EntityType) -> None:
    [stored] = put(Draft("invoice", {"number": "1", "colour": "red"}))
    assert stored.unknown_fields == ["colour"]
    assert stored.entity.snapshot == {"number": "1"}
    assert stored.entity.raw_fragments == {"colour": "red"}


def test_a_wrong_type_is_refused_by_path_and_nothing_is_written(invoice: EntityType) -> None:
    with pytest.raises(InvalidInput) as refusal:
        put(Draft("invoice", {"number": "1", "total": "many"}, path="entities.0"))
    assert refusal.value.details["fields"][0]["path"] == "entities.0.total"
    assert not Entity.objects.exists()


def test_arrays_merge_across_writes(invoice: EntityType) -> None:
    put(Draft("invoice", {"number": "1", "tags": ["a"]}))
    [stored] = put(Draft("invoice", {"number": "1", "tags": ["b"]}))
    [final] = put(Draft("invoice", {"number": "1", "tags": {"remove": ["a"]}}))
    assert stored.entity.snapshot["tags"] == ["a", "b"]
    assert final.entity.snapshot["tags"] == ["b"]


def test_an_equal_null_clears_with_a_named_warning() -> None:
    put(Draft("task", {"title": "t", "due": "2026-04-30"}))
    [stored] = put(Draft("task", {"title": "t", "due": None}))
    assert "due" not in stored.entity.snapshot
    assert [(w.code, w.field, w.details["previous"]) for w in stored.warnings] == [
        ("NULL_CLEARED_FIELD", "due", "2026-04-30")
    ]


def test_an_older_fact_that_comes_late_does_not_win() -> None:
    put(Draft("task", {"title": "t", "n": 2}))
    earlier = timezone.now() - timedelta(days=1)
    [stored] = put(Draft("task", {"title": "t", "n": 1, "extra": True}, observed_at=earlier))
    assert stored.entity.snapshot == {"title": "t", "n": 2, "extra": True}


def test_who_writes_later_wins_even_if_their_clock_was_read_earlier() -> None:
    now = timezone.now()
    for moment, count in ((now, 1), (now - timedelta(seconds=1), 2)):
        with open_write(SYSTEM, moment) as write:
            [stored] = write.put([Draft("task", {"title": "t", "count": count})])
    assert stored.entity.snapshot["count"] == 2
    assert Entity.objects.get(pk=stored.entity.pk).snapshot["count"] == 2


def test_an_expectation_that_fails_writes_nothing() -> None:
    [stored] = put(Draft("task", {"title": "t", "status": "open"}))
    with pytest.raises(ExpectationFailed) as refusal:
        put(Draft("task", {"status": "done"}, entity_id=stored.entity.pk, expect={"status": "closed"}))
    assert refusal.value.details["current"] == "open"
    assert Entity.objects.get(pk=stored.entity.pk).snapshot["status"] == "open"


def test_an_unknown_target_is_not_found() -> None:
    with pytest.raises(NotFound):
        put(Draft("task", {"a": 1}, entity_id="ent_" + "0" * 24))


def test_both_ends_of_an_edge_must_exist() -> None:
    [stored] = put(Draft("task", {"title": "t"}))
    with pytest.raises(UnknownLinkTarget) as refusal, open_write(SYSTEM, timezone.now()) as write:
        write.link([Edge("REFERS_TO", stored.entity.pk, "ent_" + "0" * 24, path="relationships.0")])
    assert refusal.value.details["path"] == "relationships.0"
    assert not Relationship.objects.exists()


def test_stating_an_edge_twice_is_one_edge_and_one_event() -> None:
    a, b = (item.entity.pk for item in put(Draft("task", {"title": "a"}), Draft("task", {"title": "b"})))
    for kind in ("store", "store", "deletion", "deletion", "store"):
        with open_write(SYSTEM, timezone.now()) as write:
            write.link([Edge("REFERS_TO", a, b, kind=kind)])
    verbs = Event.objects.filter(event_type__startswith="relationship").order_by("seq")
    assert [event.event_type for event in verbs] == [
        "relationship.created",
        "relationship.deleted",
        "relationship.restored",
    ]
    assert Relationship.objects.get().deleted_at is None


def test_queries_do_not_grow_with_the_number_of_entities(django_assert_max_num_queries: Any) -> None:
    put(Draft("task", {"title": "first"}))  # now this process knows the types of the database
    with django_assert_max_num_queries(10):  # one more on PostgreSQL: the lock that orders commits
        put(*(Draft("task", {"title": f"t{i}"}) for i in range(50)))

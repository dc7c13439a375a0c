"""More than a few entities follow a changed type in the background; meanwhile every answer is right already."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from neotoma.celery import app
from neotoma.consumers import drain
from neotoma.operations.consumers import wake_backfills
from neotoma.operations.invoke import call
from neotoma.operations.tasks import GRACE, bring_in_line, sweep_backfills
from neotoma.queues import depths
from neotoma.substrate import backfill, queries
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Backfill, Entity, Event, FieldValue
from neotoma.substrate.schema import type_of
from tests.support import callers

pytestmark = pytest.mark.django_db


@pytest.fixture
def books(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Five books, and a page size at which they are many."""
    monkeypatch.setattr(backfill, "FEW", 2)
    fields = [{"name": "title", "type": "string"}]
    book = {"entity_type": "book", "description": "To read.", "fields": fields}
    call("register_entity_type", book, callers.operator())
    agent = callers.agent()
    return [callers.stored(agent, entity_type="book", title=f"book {n}", pages=n % 2) for n in range(5)]


def index_pages() -> dict[str, Any]:
    fields = [{"name": "pages", "type": "number", "indexed": True}]
    return call("extend_entity_type", {"entity_type": "book", "fields": fields}, callers.operator())


def found(pages: int) -> set[str]:
    wanted = {"pages": {"op": "eq", "value": pages}}
    answer = call("retrieve_entities", {"entity_type": "book", "filters": wanted}, callers.agent())
    return {row["entity_id"] for row in answer["entities"]}


def test_the_answer_says_that_entities_follow_and_the_type_until_when(books: list[str]) -> None:
    made = index_pages()
    assert "brought_in_line" not in made
    assert (made["catching_up"], made["unready"]) == (True, ["pages"])
    bring_in_line(backfill_id=Backfill.objects.get().pk)
    described = call("describe_entity_type", {"entity_type": "book"}, callers.agent())
    assert (described["catching_up"], described["unready"]) == (False, [])


def test_every_entity_follows_batch_by_batch(books: list[str]) -> None:
    index_pages()
    row = Backfill.objects.get()
    lines = [FieldValue.objects.count()]
    while backfill.step(row.pk, timezone.now()):
        lines.append(FieldValue.objects.count())
    assert lines == [0, 2, 4, 5]
    assert not Backfill.objects.exists()
    assert all("pages" in entity.snapshot for entity in Entity.objects.filter(entity_type="book"))


def test_answers_are_right_before_the_index_is(books: list[str]) -> None:
    index_pages()
    for done in (False, True):
        if done:
            bring_in_line(backfill_id=Backfill.objects.get().pk)
        assert found(0) == {books[0], books[2], books[4]}
        snapshot = call("retrieve_entity_snapshot", {"entity_id": books[1]}, callers.agent())
        assert (snapshot["snapshot"]["pages"], snapshot["raw_fragments"]) == (1, {})


def test_a_scan_that_is_too_long_is_refused_until_the_index_is_there(
    books: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "SCAN_LIMIT", 3)
    index_pages()
    with pytest.raises(Refusal) as info:
        found(0)
    assert info.value.error_code == "FIELD_NOT_INDEXED"
    bring_in_line(backfill_id=Backfill.objects.get().pk)
    assert len(found(0)) == 3


def test_what_is_stored_meanwhile_is_in_line_already(books: list[str]) -> None:
    index_pages()
    new = callers.stored(callers.agent(), entity_type="book", title="new", pages=7)
    assert FieldValue.objects.get().entity_id == new
    bring_in_line(backfill_id=Backfill.objects.get().pk)
    assert FieldValue.objects.filter(field="pages").count() == 6


def test_two_changes_in_a_row_are_both_followed(books: list[str]) -> None:
    index_pages()
    call(
        "extend_entity_type",
        {"entity_type": "book", "fields": [{"name": "mood", "type": "string"}]},
        callers.operator(),
    )
    call("revert_entity_type", {"entity_type": "book", "version": 0}, callers.operator())
    for row in list(Backfill.objects.order_by("pk")):
        bring_in_line(backfill_id=row.pk)
    assert not Backfill.objects.exists()
    assert type_of("book").indexed == frozenset()
    assert not FieldValue.objects.exists()
    assert all(entity.raw_fragments == {} for entity in Entity.objects.filter(entity_type="book"))


def test_bringing_in_line_is_no_news(books: list[str]) -> None:
    index_pages()
    before = list(Entity.objects.order_by("pk").values_list("pk", "updated_at")), Event.objects.count()
    bring_in_line(backfill_id=Backfill.objects.get().pk)
    assert before == (list(Entity.objects.order_by("pk").values_list("pk", "updated_at")), Event.objects.count())


def test_the_change_wakes_the_work_and_a_sweep_finds_what_was_lost(
    books: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    drain(wake_backfills.name)
    index_pages()
    before = depths(app)["upkeep"]
    with django_capture_on_commit_callbacks(execute=True):
        drain(wake_backfills.name)
    assert depths(app)["upkeep"] == before + 1
    assert sweep_backfills() == 0
    Backfill.objects.update(touched_at=timezone.now() - GRACE)
    assert sweep_backfills() == 1
    assert depths(app)["upkeep"] == before + 2


def test_a_description_concerns_no_entity(books: list[str]) -> None:
    made = call("extend_entity_type", {"entity_type": "book", "description": "Paper."}, callers.operator())
    assert (made["brought_in_line"], Backfill.objects.count()) == (0, 0)

"""Reads that are compiled once answer what their queryset answers."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from neotoma.access.models import Agent, ApiToken
from neotoma.substrate.actors import EVERYTHING, NOTHING, SYSTEM, Audience
from neotoma.substrate.drafts import Draft
from neotoma.substrate.models import Entity
from neotoma.substrate.prepared import prepared
from neotoma.substrate.standins import LARGEST, place_of, stand_in, taken_out
from neotoma.substrate.store import open_write

AUDIENCES = (
    EVERYTHING,
    NOTHING,
    Audience(internal=True),
    Audience(public=True, owner="agent:1"),
    Audience(owner="agent:2", threads=frozenset({"ent_t"})),
    Audience(roots=frozenset({"ent_r", "ent_s", "ent_u"}), owner="agent:1"),
)


@pytest.fixture
def stored(db: None) -> list[str]:
    drafts = [
        Draft("task", {"title": f"task {number}"}, owner=f"agent:{number % 3}", visibility=visibility)
        for number, visibility in enumerate(["public", "internal", "private"] * 3)
    ]
    with open_write(SYSTEM, timezone.now()) as write:
        return [item.entity.pk for item in write.put(drafts)]


def _visible(audience: Audience, ids: list[str], least: int) -> QuerySet[Entity]:
    rows = Entity.objects.visible_to(audience).filter(pk__in=ids, observation_count__gte=least)
    return rows.order_by("pk")


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("count", [0, 1, 3, 9])
def test_every_audience_and_length_answers_as_the_queryset_does(
    stored: list[str], audience: Audience, count: int
) -> None:
    read = prepared(_visible)
    for least in (1, 2):
        expected = list(_visible(audience, stored[:count], least))
        found = read(audience, stored[:count], least)
        assert [(e.pk, e.snapshot, e.updated_at) for e in found] == [(e.pk, e.snapshot, e.updated_at) for e in expected]


def test_another_value_is_put_into_the_same_statement(stored: list[str]) -> None:
    calls: list[str] = []

    @prepared
    def named(entity_id: str) -> QuerySet[Entity, str]:
        calls.append(entity_id)
        return Entity.objects.filter(pk=entity_id).values_list("name", flat=True)

    assert [named(entity_id) for entity_id in stored[:3]] == [["task 0"], ["task 1"], ["task 2"]]
    assert len(calls) == 1
    assert calls[0] not in stored


def test_lists_of_many_lengths_are_few_statements(stored: list[str]) -> None:
    shapes = {taken_out(["x"] * length, []) for length in range(1, 101)}
    assert len(shapes) == 8


def test_related_rows_come_in_the_same_query(db: None) -> None:
    ApiToken.objects.create(agent=Agent.objects.create(name="one"), digest="d" * 64, hint="h")

    @prepared
    def tokens(digest: str) -> QuerySet[ApiToken]:
        return ApiToken.objects.select_related("agent", "user").filter(digest=digest)

    with CaptureQueriesContext(connection) as queries:
        (token,) = tokens("d" * 64)
        assert token.agent is not None
        assert (token.agent.name, token.user) == ("one", None)
    assert len(queries) == 1


def test_an_instance_knows_its_database_and_can_be_saved(stored: list[str]) -> None:
    entity = prepared(_visible)(EVERYTHING, stored[:1], 1)[0]
    entity.name = "renamed"
    entity.save(update_fields=["name"])
    assert Entity.objects.get(pk=entity.pk).name == "renamed"


def test_fields_that_were_left_out_are_fetched_when_asked_for(stored: list[str]) -> None:
    @prepared
    def types(ids: list[str]) -> QuerySet[Entity]:
        return Entity.objects.only("entity_type").filter(pk__in=ids)

    assert types(stored[:1])[0].get_deferred_fields() >= {"snapshot", "name"}
    assert types(stored[:1])[0].name == "task 0"


@pytest.mark.parametrize("number", [LARGEST, 2**31, 2**63, 10**30, -(10**30)])
def test_numbers_that_no_column_holds_match_nothing(stored: list[str], number: int) -> None:
    assert prepared(_visible)(EVERYTHING, stored, abs(number)) == []


def test_a_lookup_that_changes_its_value_is_refused(db: None) -> None:
    @prepared
    def containing(text: str) -> QuerySet[Entity]:
        return Entity.objects.filter(name__contains=text)

    with pytest.raises(TypeError, match="changes the value"):
        containing("x")


def test_a_value_without_a_shape_is_refused(db: None) -> None:
    with pytest.raises(TypeError, match="datetime"):
        prepared(lambda moment: Entity.objects.filter(created_at=moment))(timezone.now())


_LEAVES = st.none() | st.booleans() | st.text(max_size=5) | st.integers(0, LARGEST - 1)
_VALUES = st.recursive(_LEAVES, lambda part: st.lists(part, max_size=4))


@given(_VALUES)
def test_each_value_taken_out_has_one_place(value: object) -> None:
    values: list[str | int] = []
    stood_in = stand_in(taken_out(value, values), iter(range(1_000)))
    places = [place for leaf in _leaves(stood_in) if (place := place_of(leaf)) is not None]
    assert places == list(range(len(values)))


def _leaves(value: object) -> list[object]:
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, list) else [value]

from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate import search
from neotoma.substrate.cursors import encode_cursor
from neotoma.substrate.errors import InvalidInput
from tests.support import callers

pytestmark = pytest.mark.django_db

BEYOND = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]


def refused(**arguments: Any) -> str:
    with pytest.raises(InvalidInput) as info:
        call("retrieve_entities", arguments, callers.agent())
    return str(info.value.details["fields"][0]["path"])


@pytest.mark.parametrize("moment", BEYOND)
@pytest.mark.parametrize("name", ["updated_since", "created_since"])
def test_a_time_that_utc_lacks_is_refused_by_name(name: str, moment: str) -> None:
    assert refused(**{name: moment}) == name


@pytest.mark.parametrize("name", [":0", '"', "task OR note", "Task", "", "é"])
def test_a_type_that_cannot_be_one_is_refused_by_name(name: str) -> None:
    assert refused(entity_types=["task", name], search="needle") == "entity_types.1"


@pytest.mark.parametrize("moment", [*BEYOND, "2026-01-01T00:00:00", "soon"])
def test_a_forged_cursor_is_refused(moment: str) -> None:
    assert refused(cursor=encode_cursor(moment, "ent_0")) == "cursor"


def test_what_others_stored_does_not_crowd_out_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "WINDOW", 2)
    reporter, agent = callers.reporter(), callers.agent()
    mine = callers.stored(reporter, title="needle mine")
    for number in range(3):
        callers.stored(agent, title=f"needle {number}")
    found = call("retrieve_entities", {"search": "needle"}, reporter)
    assert ([row["entity_id"] for row in found["entities"]], found["total"]) == ([mine], 1)


def test_other_types_do_not_crowd_out_the_types_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "WINDOW", 2)
    agent = callers.agent()
    wanted = {callers.stored(agent, entity_type=kind, title="needle") for kind in ("task", "note")}
    for kind in ("contact", "place", "book"):
        callers.stored(agent, entity_type=kind, title="needle")
    found = call("retrieve_entities", {"search": "needle", "entity_types": ["task", "note"]}, agent)
    assert {row["entity_id"] for row in found["entities"]} == wanted


def test_what_was_deleted_does_not_crowd_out_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "WINDOW", 2)
    agent = callers.agent()
    alive = callers.stored(agent, title="needle alive")
    for number in range(3):
        call("delete_entity", {"entity_id": callers.stored(agent, title=f"needle {number}")}, agent)
    found = call("retrieve_entities", {"search": "needle"}, agent)
    assert ([row["entity_id"] for row in found["entities"]], found["total"]) == ([alive], 1)

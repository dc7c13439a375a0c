from __future__ import annotations

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.errors import InvalidInput
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

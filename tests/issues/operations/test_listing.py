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
        call("list_issues", arguments, callers.agent())
    return str(info.value.details["fields"][0]["path"])


@pytest.mark.parametrize("moment", BEYOND)
def test_times_that_utc_lacks_are_refused_by_name(moment: str) -> None:
    assert refused(updated_since=moment) == "updated_since"
    assert refused(cursor=encode_cursor(moment, 1)) == "cursor"


def test_issues_of_others_do_not_crowd_out_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "WINDOW", 2)
    reporter = callers.reporter("one")
    mine = callers.filed(reporter, title="needle", body="mine", visibility="private")
    for number in range(3):
        callers.filed(callers.reporter("two"), title=f"needle {number}", body=f"b {number}", visibility="private")
    found = call("list_issues", {"search": "needle"}, reporter)
    assert ([row["entity_id"] for row in found["issues"]], found["total"]) == ([mine["entity_id"]], 1)

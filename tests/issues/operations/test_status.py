from __future__ import annotations

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.cursors import encode_cursor
from neotoma.substrate.errors import InvalidInput
from tests.support import callers

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("place", [(-1, 0, -1), (0, -1, -1)])
def test_a_place_before_the_first_is_refused(place: tuple[int, int, int]) -> None:
    issue = callers.filed(callers.reporter())
    with pytest.raises(InvalidInput) as info:
        arguments = {"issue_number": issue["issue_number"], "after": encode_cursor(*place)}
        call("get_issue_status", arguments, callers.operator())
    assert info.value.details["fields"][0]["path"] == "after"

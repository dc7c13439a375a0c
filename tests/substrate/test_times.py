from __future__ import annotations

from datetime import UTC, datetime

import pytest

from neotoma.substrate.errors import InvalidInput
from neotoma.substrate.times import cursor_instant, instant


def test_a_moment_is_brought_to_utc() -> None:
    moment = instant(datetime.fromisoformat("2026-01-31T13:00:00+01:00"), "at")
    assert (moment, moment.tzinfo) == (datetime(2026, 1, 31, 12, tzinfo=UTC), UTC)


@pytest.mark.parametrize("text", ["2026-01-31T12:00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_no_zone_and_years_that_utc_lacks_are_refused_by_path(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^at: "):
        instant(datetime.fromisoformat(text), "at")
    with pytest.raises(InvalidInput, match=r"^cursor: not a cursor"):
        cursor_instant(text)

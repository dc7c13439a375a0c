"""Request ids and the log format."""

import json
import logging

import pytest

from neotoma.logs import (
    accepted_request_id,
    bind_request_id,
    configure,
    current_request_id,
    forget_request_id,
)


@pytest.mark.parametrize("offered", ["abcdefgh", "3f2a9c1e-0b1d-4c55-9a55-1d2f3b4c5d6e", "a.b_c-d12"])
def test_a_plain_id_is_kept(offered: str) -> None:
    assert accepted_request_id(offered) == offered


@pytest.mark.parametrize("offered", ["", "short", "a" * 65, "has space", "new\nline00", 'quote"quote'])
def test_any_other_id_is_replaced(offered: str) -> None:
    assert accepted_request_id(offered) != offered
    assert len(accepted_request_id(offered)) == 32


def test_a_line_carries_the_request_id(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    configure({"format": "json", "level": "INFO"})
    bind_request_id("request-0001")
    try:
        logging.getLogger("some.module").warning("hello %s", "there")
        assert current_request_id() == "request-0001"
    finally:
        forget_request_id()
        root.handlers, root.level = before[0], before[1]
    line = json.loads(capsys.readouterr().err.splitlines()[-1])
    assert (line["event"], line["level"], line["request_id"]) == ("hello there", "warning", "request-0001")
    assert current_request_id() == ""

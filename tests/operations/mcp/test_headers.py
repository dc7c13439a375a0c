from __future__ import annotations

import base64

import pytest

from neotoma.operations.mcp.headers import decoded, header, mismatch


def wrapped(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.mark.parametrize("value", ["get_box", " get_box", "get_box \t"])
def test_blanks_around_a_value_do_not_count(value: str) -> None:
    assert header({"mcp-name": value}, "mcp-name") == "get_box"


def test_no_headers_and_no_such_header_are_both_none() -> None:
    assert header(None, "mcp-name") is None
    assert header({}, "mcp-name") is None


@pytest.mark.parametrize("text", ["issue://1", "entität://ü", "a\nb", "=?base64?x?="])
def test_a_wrapped_value_is_unwrapped(text: str) -> None:
    assert decoded(wrapped(text)) == text


@pytest.mark.parametrize("value", ["=?base64?%%%?=", "=?base64?/w==?="])
def test_a_broken_wrapping_is_no_value(value: str) -> None:
    assert decoded(value) is None


def test_the_name_may_be_wrapped() -> None:
    body = {"method": "resources/read"}
    headers = {"mcp-protocol-version": "v", "mcp-method": "resources/read", "mcp-name": wrapped("issue://ü")}
    assert mismatch(body, {"uri": "issue://ü"}, "v", headers) == ""
    assert "params.uri" in mismatch(body, {"uri": "issue://u"}, "v", headers)

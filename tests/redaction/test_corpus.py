"""What must go goes, whole; what must stay stays, to the byte; and a second pass changes nothing."""

import json

import pytest

from neotoma.redaction import leaks, redact_text
from neotoma.redaction.views import views
from tests.redaction.corpus import (
    SECRET_NAMES,
    Row,
    assignment_rows,
    expected,
    lines,
    structured_rows,
    unmarked,
    vendor_rows,
    vendor_tokens,
)


def short(text: object) -> str:
    return str(text)[:40].encode("unicode_escape").decode()


def check(row: Row) -> None:
    clean = redact_text(row.text)
    seen = [view.text for view in views(clean)]
    assert [secret for secret in row.gone if any(secret in text for text in seen)] == [], row.text
    assert [part for part in row.kept if part not in clean] == [], row.text
    if row.is_json:
        json.loads(clean)
    check_settled(clean)


def check_settled(clean: str) -> None:
    assert redact_text(clean) == clean
    assert leaks(clean) == {}


@pytest.mark.parametrize(("name", "token"), vendor_tokens().items(), ids=vendor_tokens())
def test_tokens_of_vendors(name: str, token: str) -> None:
    for row in vendor_rows(name, token):
        check(row)


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_assignments_in_every_syntax(name: str) -> None:
    for row in assignment_rows(name):
        check(row)


@pytest.mark.parametrize("row", structured_rows(), ids=short)
def test_web_tokens_and_private_keys(row: Row) -> None:
    check(row)


@pytest.mark.parametrize("line", [*lines("secrets.txt"), *lines("personal.txt")], ids=short)
def test_only_what_is_marked_goes(line: str) -> None:
    clean = redact_text(unmarked(line))
    assert expected(line).fullmatch(clean), clean
    check_settled(clean)


@pytest.mark.parametrize("text", lines("kept.txt"), ids=short)
def test_look_alikes_stay(text: str) -> None:
    assert redact_text(text) == text
    assert leaks(text) == {}

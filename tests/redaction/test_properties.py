"""What holds for every text: it settles, JSON stays JSON, provenance survives, and nothing is made up."""

import json
import re

from hypothesis import example, given
from hypothesis import strategies as st

from neotoma.redaction import leaks, redact, redact_fields, redact_text, shapes
from neotoma.redaction.edges import Edges
from neotoma.redaction.guard import RULES
from neotoma.redaction.spans import MARKER, Span, settle, write
from neotoma.redaction.views import views
from tests.redaction.corpus import made, vendor_tokens
from tests.redaction.strategies import mappings, texts

GITHUB = vendor_tokens()["github classic"]
# A token of which all but the first characters are fixed in kind, so that an escape may well provide these.
AZURE = "b8Q" + "~" + made("edges", 34)


@given(texts)
@example(f"\\u200{AZURE}")
@example(f"%E2%80%8{AZURE} and %2{AZURE}")
@example(f"&#x200{AZURE}")
def test_a_text_settles_at_once(text: str) -> None:
    clean = redact(text)
    assert redact_text(clean.text) == clean.text
    assert leaks(clean.text) == {}
    assert (clean.text == text) == (clean.counts == {})


@given(texts)
def test_what_stays_is_what_was_sent(text: str) -> None:
    """Between the markers stands nothing but pieces of the text, in their order."""
    at = 0
    for piece in MARKER.split(redact_text(text)):
        sent = re.sub(r'^\\*"|\\*"\Z', "", piece)  # a bare JSON number gets quotes with its marker
        at = text.find(sent, at)
        assert at >= 0
        at += len(sent)


@given(mappings, st.booleans(), st.integers(0, 3))
@example({"\u200b" + AZURE[1:]: None}, True, 0)
@example({"\\u200" + AZURE: None}, True, 1)
@example({f"a\\\n\u00e9{GITHUB}\\": [f'"{GITHUB}\\"', -34600123456, 1.5e300]}, True, 3)
@example({"phone": -34600123456, "password": 1.5e300, "token": 12345678901}, False, 2)
def test_json_stays_json(document: dict[str, object], as_ascii: bool, wraps: int) -> None:
    check_wraps(redact_text(wrapped(document, as_ascii, wraps)), wraps)


@given(mappings, st.booleans(), st.integers(0, 3), st.lists(st.tuples(st.integers(0), st.integers(1, 60)), max_size=5))
def test_json_stays_json_wherever_a_rule_finds_something(
    document: dict[str, object], as_ascii: bool, wraps: int, places: list[tuple[int, int]]
) -> None:
    text = wrapped(document, as_ascii, wraps)
    starts = [(start % len(text), size) for start, size in places]
    spans = [Span(start, min(len(text), start + size), "password") for start, size in starts]
    clean, _ = write(text, settle([Edges(text).fit(spans)], len(text)))
    json.loads(clean)


def wrapped(document: dict[str, object], as_ascii: bool, wraps: int) -> str:
    text = json.dumps(document, ensure_ascii=as_ascii)
    for _ in range(wraps):
        text = json.dumps({"payload": text})
    return text


def check_wraps(clean: str, wraps: int) -> None:
    document = json.loads(clean)
    for _ in range(wraps):
        document = json.loads(document["payload"])


@given(
    st.binary(min_size=20, max_size=20).map(bytes.hex),
    st.binary(min_size=12, max_size=12).map(lambda raw: f"ent_{raw.hex()}"),
    st.uuids().map(str),
    st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    st.integers(10**9, 2 * 10**12),
    st.tuples(*[st.integers(0, 99)] * 3).map(lambda parts: ".".join(map(str, parts))),
)
# Hex digits whose check sum is that of a bank account of their length.
@example("0" * 40, "ent_" + "0" * 24, "ee328b5b-a29e-b9e5-0693-8cb5c555a535", "2000-01-01T00:00:00Z", 10**9, "0.0.0")
def test_provenance_survives(sha: str, entity: str, run: str, moment: str, epoch: int, version: str) -> None:
    text = f"Fails at {sha} ({sha[:9]}), entity {entity}, run {run}, {moment}, epoch {epoch}, app {version}, x.py:12:7"
    assert redact_text(text) == text


@given(texts)
def test_a_rule_finds_nothing_where_its_signs_are_missing(text: str) -> None:
    for view in views(text):
        shown = RULES.signs(view)
        assert [rule for rule in RULES if rule.signs.isdisjoint(shown) and list(rule.find(view))] == []


@given(st.from_regex(shapes.ORDINARY, fullmatch=True))
def test_rules_find_nothing_in_what_is_ordinary(text: str) -> None:
    assert RULES.find(views(text)) == []


@given(mappings)
@example({"": [GITHUB, "\\"]})
def test_fields_settle_at_once(fields: dict[str, object]) -> None:
    clean = redact_fields(fields)
    again = redact_fields(clean.fields)
    assert again.fields == clean.fields
    assert again.counts == {}

"""What holds for every text: it settles, JSON stays JSON, provenance survives, and nothing is made up."""

import json
import re
import uuid

from hypothesis import given
from hypothesis import strategies as st

from neotoma.redaction import leaks, redact, redact_fields, redact_text
from neotoma.redaction.spans import MARKER
from tests.redaction.corpus import SECRET_NAMES, assignment_rows, lines, structured_rows, unmarked, vendor_tokens

WHOLE = [
    *vendor_tokens().values(),
    *(row.text for row in structured_rows()),
    *(row.text for name in SECRET_NAMES for row in assignment_rows(name)),
    *(unmarked(line) for line in (*lines("secrets.txt"), *lines("personal.txt"))),
]
SIGNS = [
    *'"\'\\`={}[]():;,@&?/ \n-<>|$%+*.',
    "\\n", '\\"', "://", "password", "token: ", "[redacted:", "[redacted:email]", "redacted", "%40", "\\u0040",
    "&quot;", "\x1b[31m", "\u200b", "\ufffc", "\ud800", "eyJ", "-----BEGIN ", "PRIVATE KEY-----", "-----END ", "AKIA",
    "tel ", "/home/",
]  # fmt: skip

whole = st.integers(0, len(WHOLE) - 1).map(lambda place: WHOLE[place])
cut = st.builds(
    lambda text, start, size: text[start : start + size],
    whole,
    st.integers(0, 40),
    st.integers(1, 200),
)
texts = st.lists(st.one_of(whole, cut, st.sampled_from(SIGNS), st.text(max_size=8)), max_size=8).map("".join)
plain = st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from([4111111111111111, 34600123456, 12345678]))
documents = st.recursive(
    st.one_of(plain, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)


@given(texts)
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
        sent = re.sub(r'^\\*"|\\*"$', "", piece)  # a bare JSON number gets quotes with its marker
        at = text.find(sent, at)
        assert at >= 0
        at += len(sent)


@given(st.dictionaries(texts, documents, max_size=3), st.booleans(), st.integers(0, 2))
def test_json_stays_json(document: dict[str, object], as_ascii: bool, wraps: int) -> None:
    text = json.dumps(document, ensure_ascii=as_ascii)
    for _ in range(wraps):
        text = json.dumps({"payload": text})
    json.loads(redact_text(text))


@given(
    st.binary(min_size=20, max_size=20).map(bytes.hex),
    st.binary(min_size=12, max_size=12).map(lambda raw: f"ent_{raw.hex()}"),
    st.uuids().map(str),
    st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    st.integers(10**9, 2 * 10**12),
    st.tuples(*[st.integers(0, 99)] * 3).map(lambda parts: ".".join(map(str, parts))),
)
def test_provenance_survives(sha: str, entity: str, run: str, moment: str, epoch: int, version: str) -> None:
    text = f"Fails at {sha} ({sha[:9]}), entity {entity}, run {run}, {moment}, epoch {epoch}, app {version}, x.py:12:7"
    assert redact_text(text) == text


@given(st.dictionaries(texts, documents, max_size=3))
def test_fields_settle_at_once(fields: dict[str, object]) -> None:
    clean = redact_fields(fields)
    again = redact_fields(clean.fields)
    assert again.fields == clean.fields
    assert again.counts == {}


def test_the_examples_hold_a_uuid_that_is_one() -> None:
    assert redact_text(f"run {uuid.UUID(int=7)}") == "run 00000000-0000-0000-0000-000000000007"

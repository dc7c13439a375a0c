from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma.operations.json import MAX_BYTES, MAX_DEPTH, MAX_NODES, decode
from neotoma.substrate.errors import Refusal

STORABLE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\0")), inner, max_size=4)
    ),
    max_leaves=20,
)


def refused(body: bytes) -> Refusal:
    with pytest.raises(Refusal) as caught:
        decode(body)
    return caught.value


def path_of(refusal: Refusal) -> str:
    (field,) = refusal.details["fields"]
    return str(field["path"])


@given(STORABLE)
def test_what_can_be_stored_comes_out_as_it_went_in(value: object) -> None:
    assert decode(json.dumps(value, ensure_ascii=False).encode()) == value
    assert decode(json.dumps(value, ensure_ascii=True).encode()) == value


@pytest.mark.parametrize(
    "body", [b"", b"{", b"{'a': 1}", b"[1,]", b"\xff", "\ufeff{}".encode(), b"nul", b"{} {}", b'"\x01"', b"01"]
)
def test_what_is_not_json_is_malformed(body: bytes) -> None:
    refusal = refused(body)
    assert (refusal.error_code, refusal.status) == ("MALFORMED_JSON", 400)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (b'{"a": {"b": 1, "b": 2}}', "a.b"),
        (b'{"a": 1, "a": 1}', "a"),
        (b'{"a": [0, NaN]}', "a.1"),
        (b'{"a": -Infinity}', "a"),
        (b"[1E400]", "0"),
        (b"Infinity", "body"),
    ],
)
def test_what_readers_understand_differently_is_malformed_with_its_path(body: bytes, path: str) -> None:
    refusal = refused(body)
    assert (refusal.error_code, refusal.status, path_of(refusal)) == ("MALFORMED_JSON", 400, path)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (rb'{"title": "a\u0000b"}', "title"),
        (rb'{"a": [{"b": "\ud800"}]}', "a.0.b"),
        (rb'{"a": {"k\u0000": 1}}', "a"),
        (rb'["\udc00\ud800"]', "0"),
        (b'{"n": 9223372036854775808}', "n"),
        (b'{"n": -' + b"9" * 5000 + b"}", "n"),
    ],
)
def test_what_no_database_keeps_is_refused_with_its_path(body: bytes, path: str) -> None:
    refusal = refused(body)
    assert (refusal.error_code, refusal.status, path_of(refusal)) == ("UNSTORABLE_VALUE", 422, path)


def test_a_surrogate_pair_is_one_character() -> None:
    assert decode(rb'"\ud83d\ude00"') == "\U0001f600"


def test_depth_is_bounded() -> None:
    assert decode(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    over = refused(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1))
    assert (over.error_code, over.status) == ("JSON_TOO_COMPLEX", 422)
    assert path_of(over) == ".".join(["0"] * MAX_DEPTH)
    assert refused(b"[" * 100_000 + b"]" * 100_000).error_code == "JSON_TOO_COMPLEX"


def test_the_number_of_values_is_bounded() -> None:
    assert len(decode(json.dumps([0] * (MAX_NODES - 1)).encode())) == MAX_NODES - 1
    assert refused(json.dumps([0] * MAX_NODES).encode()).error_code == "JSON_TOO_COMPLEX"


def test_the_size_is_bounded() -> None:
    assert decode(b'"' + b"a" * (MAX_BYTES - 2) + b'"')
    refusal = refused(b'"' + b"a" * (MAX_BYTES - 1) + b'"')
    assert (refusal.error_code, refusal.status) == ("PAYLOAD_TOO_LARGE", 413)
    assert refusal.details == {"limit_bytes": MAX_BYTES}


def test_a_refusal_never_repeats_the_body() -> None:
    assert "hunter2" not in str(refused(b'{"password": "hunter2" x').body())

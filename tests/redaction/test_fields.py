"""Nested structures: every string, keys included, each as the value of its name."""

import pytest

from neotoma.redaction import RedactionFailed, redact_fields
from tests.redaction.corpus import made, vendor_tokens

TOKEN = vendor_tokens()["gitlab"]


def test_says_where_but_not_what() -> None:
    clean = redact_fields({"title": "ok", "meta": {"items": [1, {"note": f"see {TOKEN}"}]}, "labels": ["a", TOKEN]})
    assert clean.fields == {
        "title": "ok",
        "meta": {"items": [1, {"note": "see [redacted:gitlab_token]"}]},
        "labels": ["a", "[redacted:gitlab_token]"],
    }
    assert clean.counts == {"gitlab_token": 2}
    assert clean.names == ("meta.items[1].note", "labels[1]")


def test_other_values_stay() -> None:
    fields: dict[str, object] = {"n": 5, "x": None, "on": True, "ratio": 0.5, "empty": [], "none": {}}
    clean = redact_fields(fields)
    assert (clean.fields, clean.counts, clean.names) == (fields, {}, ())


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"password": "swordfish"}, "password"),
        ({"clientSecret": "correct horse battery staple"}, "secret"),
        ({"phone": "600123456"}, "phone"),
        ({"authorization": "Token 3xwO7dwTiTrJ2V7sgVtaIp3o"}, "authorization"),
        ({"headers": [["authorization", "Token 3xwO7dwTiTrJ2V7sgVtaIp3o"]]}, "authorization"),
        ({"cookie": f"sid={made('cookie', 24)}; theme=dark"}, "cookie"),
        ({"env": [{"name": "DB_PASSWORD", "value": "swordfish"}]}, "password"),
        ({"ana@lumen.io": 1}, "email"),
    ],
)
def test_the_name_tells_what_a_value_is(fields: dict[str, object], kind: str) -> None:
    clean = redact_fields(fields)
    assert clean.counts == {kind: 1}
    assert redact_fields(clean.fields).names == ()


def test_a_version_under_its_name_is_no_address() -> None:
    assert redact_fields({"reporter_app_version": "4.12.0.7"}).names == ()
    assert redact_fields({"remote_addr": "81.2.69.160"}).counts == {"ip_address": 1}


def test_keys_that_become_the_same_stay_apart() -> None:
    clean = redact_fields({"ana@lumen.io": 1, "bob@lumen.io": 2})
    assert clean.fields == {"[redacted:email]": 1, "[redacted:email] (2)": 2}
    assert redact_fields(clean.fields).fields == clean.fields


def test_the_input_is_not_changed() -> None:
    fields = {"a": {"b": [TOKEN]}}
    redact_fields(fields)
    assert fields == {"a": {"b": [TOKEN]}}


def test_bottomless_nesting_is_refused() -> None:
    fields: dict[str, object] = {}
    fields["self"] = fields
    with pytest.raises(RedactionFailed, match="nested"):
        redact_fields(fields)

"""Every reading maps back to the characters that were sent."""

import pytest

from neotoma.redaction.spans import Span
from neotoma.redaction.views import views


@pytest.mark.parametrize(
    ("text", "word", "sent"),
    [
        ("a \uff47\uff48\uff50 z", "ghp", "\uff47\uff48\uff50"),
        ("a g\u200bh\u00adp z", "ghp", "g\u200bh\u00adp"),
        ("cafe\u0301 z", "cafe", "cafe\u0301"),
        ("a x%3Dy z", "x=y", "x%3Dy"),
        ('{"a": "x\\u003dy"}', "x=y", "x\\u003dy"),
        ("a x&#61;y &quot;z", "x=y", "x&#61;y"),
        ("a g\x1b[1mh\x1b[0mp z", "ghp", "g\x1b[1mh\x1b[0mp"),
        ("a \u06f1\u06f2\u06f3 z", "123", "\u06f1\u06f2\u06f3"),
        ("a [redacted:email] %67\uff48p z", "ghp", "%67\uff48p"),
    ],
)
def test_a_word_is_found_where_it_was_sent(text: str, word: str, sent: str) -> None:
    found = [(view, view.text.find(word)) for view in views(text) if word in view.text]
    assert found
    for view, at in found:
        span = view.at_source(Span(at, at + len(word), "email"))
        assert text[span.start : span.end].startswith(sent.rstrip("\u0301"))


def test_plain_text_has_one_reading() -> None:
    assert [view.text for view in views("nothing to decode: caf\u00e9")] == ["nothing to decode: caf\u00e9"]


def test_lower_case_keeps_places() -> None:
    (view,) = views("\u0130X")
    assert view.lower == "\u0130x"

"""A rule is spared where its signs are missing; the signs are seen wherever they stand."""

import re
from re import _parser

import pytest

from neotoma.redaction import redact, redact_fields
from neotoma.redaction.guard import RULES
from neotoma.redaction.hints import VOCABULARY
from neotoma.redaction.infixes import INFIXES
from neotoma.redaction.names import _remembered
from neotoma.redaction.rules import LONG_WORD, NUMBER, Rule
from neotoma.redaction.tokens import _families
from neotoma.redaction.vendors import VENDORS
from neotoma.redaction.views import LONG, View
from neotoma.redaction.words import Vocabulary


def test_ordinary_text_shows_nothing() -> None:
    assert RULES.signs(View("The reducer drops due_date when the merge runs twice.")) == set()


def test_a_long_word_and_a_number_are_signs() -> None:
    assert RULES.signs(View("the idempotentialism")) == {LONG_WORD}
    assert RULES.signs(View("in 555 0199")) == {NUMBER}


def test_words_are_found_inside_each_other_and_where_they_overlap() -> None:
    vocabulary = Vocabulary(["secret", "token", "pass", "password", "word"])
    assert list(vocabulary.find("a secretoken")) == [(2, "secret"), (7, "token")]
    assert list(vocabulary.find("xpassword")) == [(1, "password"), (1, "pass"), (5, "word")]


@pytest.mark.parametrize("rule", list(RULES), ids=lambda rule: f"{rule.find.__module__}.{rule.find.__name__}")
def test_every_sign_can_be_seen(rule: Rule) -> None:
    assert rule.signs
    for sign in rule.signs - {LONG_WORD, NUMBER}:
        assert sign in RULES.signs(View(f"x{sign}x"))


def shortest(pattern: re.Pattern[str]) -> int:
    return int(_parser.parse(pattern.pattern, pattern.flags).getwidth()[0])


def test_no_token_is_shorter_than_a_long_word() -> None:
    families = {found for vendor in VENDORS for prefix in vendor.prefixes.split() for found in _families(prefix)}
    patterns = [pattern for pattern, _ in families] + [infix.pattern for infix in INFIXES if not infix.apart]
    assert [pattern.pattern for pattern in patterns if shortest(pattern) < LONG] == []


def test_the_words_are_in_lower_case() -> None:
    assert {word for word in VOCABULARY.words if word != word.lower()} == set()


def test_no_secret_is_remembered() -> None:
    before = _remembered.cache_info().currsize
    redact("password=correcthorsebattery and token zq7Rm2Xv9LkT4w")
    redact_fields({"zq7Rm2Xv9LkT4w": "password is zq7Rm2Xv9LkT4w", "password": "correcthorsebattery"})
    assert _remembered.cache_info().currsize - before <= 2  # the names `password` and `token`

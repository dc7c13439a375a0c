"""The contract of the guard's four functions."""

import subprocess
import sys
from collections.abc import Iterator
from typing import cast

import pytest

import issues.redaction
from neotoma.redaction import Redaction, RedactionFailed, guard, leaks, redact, redact_text
from neotoma.redaction.rules import Rules, shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from tests.redaction.corpus import made, vendor_tokens


def test_counts_by_kind_and_never_the_value() -> None:
    token = vendor_tokens()["github classic"]
    clean = redact(f"{token} from ana@lumen.io and bob@lumen.io")
    assert clean.text == "[redacted:github_token] from [redacted:email] and [redacted:email]"
    assert clean.counts == {"github_token": 1, "email": 2}
    assert leaks(f"{token} from ana@lumen.io") == {"github_token": 1, "email": 1}


def test_ordinary_text_comes_back_as_it_is() -> None:
    assert redact("The reducer drops `due_date`.") == Redaction("The reducer drops `due_date`.", {})
    assert redact("") == Redaction("", {})


def test_issues_use_this_guard() -> None:
    assert issues.redaction.redact_text is redact_text


@pytest.mark.parametrize("error", [ValueError, RecursionError, KeyError, AttributeError, MemoryError])
def test_a_broken_rule_lets_nothing_through(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    @shown_by("secret")
    def broken(view: View) -> Iterator[Span]:
        raise error(view.text)

    monkeypatch.setattr(guard, "RULES", Rules([broken]))
    for call in (redact, redact_text, leaks):
        with pytest.raises(RedactionFailed) as refused:
            call("secret text")
        assert refused.value.error_code == "ERR_REDACTION_FAILED"
        assert refused.value.details == {"reason": error.__name__}
        assert "secret text" not in f"{refused.value}{refused.value.__cause__}{refused.value.hint}"


def test_a_text_that_never_settles_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    @shown_by("a")
    def endless(view: View) -> Iterator[Span]:
        at = view.text.find("a")
        yield Span(at, at + 1, "email")

    monkeypatch.setattr(guard, "RULES", Rules([endless]))
    with pytest.raises(RedactionFailed, match="no end"):
        redact("a" * 20)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(RedactionFailed):
        redact(cast(str, None))


def test_lone_surrogates_and_controls_pass() -> None:
    text = "\ud800 \x00 \x1b[31m \udfff"
    assert redact_text(text) == text


def test_a_marker_before_a_host_leaves_the_url_readable() -> None:
    password = made("url", 14)
    clean = redact_text(f"postgres://app:{password}@db.internal:5432/x?token={password}")
    assert clean == "postgres://app:%5Bredacted%3Aurl_password%5D@db.internal:5432/x?token=[redacted:url_token]"


def test_needs_no_django() -> None:
    code = "import sys, neotoma.redaction; raise SystemExit('django' in sys.modules or 'celery' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

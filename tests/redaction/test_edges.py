"""No span begins or ends inside an escape, none crosses the structure of a document, and none lets a letter out."""

import json

import pytest

from neotoma.redaction import redact_text
from neotoma.redaction.edges import Edges
from neotoma.redaction.spans import Span
from tests.redaction.corpus import made, vendor_tokens

TOKEN = vendor_tokens()["github classic"]
MARK = "[redacted:github_token]"
# What may stand before a token without a space between, in the many ways in which a character is written.
ESCAPES = (
    "\\n", "\\\\n", "\\\\\\\\n", "\\r", "\\t", "\\b", "\\f", "\\v", "\\a", "\\0", "\\e", "\\/", '\\"', "\\\\\\\"",
    "\\'", "\\x20", "\\040", "\\u0020", "\\u{20}", "\\U00000020", "\\u200b", "\\u00ad", "\\u001b[31m", "\\x1b[31m",
    "\\033[1;32m", "\\e[0m", "\x1b[31m", "[31m", "%20", "%0A", "%0d", "%09", "%2520", "%252520", "%E2%80%8B", "%C2%A0",
    "%u0020", "%5Cn", "%22", "%26", "&#32;", "&#x20;", "&#xA0;", "&nbsp;", "&quot;", "&amp;#32;", "&amp;quot;", "=3D",
)  # fmt: skip


def fitted(marked: str, kind: str = "password") -> list[str]:
    """What remains of the span between the marks."""
    start, end = marked.index("«"), marked.index("»") - 1
    text = marked.replace("«", "").replace("»", "")
    return [text[span.start : span.end] for span in Edges(text).fit([Span(start, end, kind)])]


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("around", ["see {} here", "a{}\\n", '"a{}"', "x{}&amp;y=1", "q={}%20b"])
def test_a_secret_behind_an_escape_goes_and_the_escape_stays(escape: str, around: str) -> None:
    text = around.format(escape + TOKEN)
    assert redact_text(text) == text.replace(TOKEN, MARK)


@pytest.mark.parametrize("character", "\n\r\t\b\f\v\x00\x1b\u200b\u00ad\u00a0\"\\/'&<% ")
@pytest.mark.parametrize("deep", range(4))
def test_in_documents_too_at_any_depth(character: str, deep: int) -> None:
    text, marked = (json.dumps({"log": f"a{character}{secret}{character}b", "n": 1}) for secret in (TOKEN, MARK))
    for _ in range(deep):
        text, marked = json.dumps({"payload": text}), json.dumps({"payload": marked})
    assert redact_text(text) == marked


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (r'{"a": "x\u20«0bzz»"}', []),
        (r'{"a": "x«\u200bzz»"}', [r"\u200bzz"]),
        (r'{"a": "«zz\u0»041x"}', [r"zz\u0041"]),
        (r'{"a": "«zz\u2»00bx"}', ["zz"]),
        (r'{"a": "x\«nzz»"}', []),
        (r'{"a": "x\\«nzz»"}', []),
        (r'{"a": "x\n«zz»"}', ["zz"]),
        (r'{"a": "«zz\"", "b": "yy»"}', [r"zz\"", "b", "yy"]),
        (r'{"a": [-12«.5e3, true, null, "zz»"]}', ["-12.5e3", "zz"]),
        (r'say {"a": "z«z"} to»', ["z", " to"]),
        (r'«say {"a": "zz"} to»', ['say {"a": "zz"} to']),
        (r'«{"a": "zz"}»', ["a", "zz"]),
        (r'{"a": "{\"b\": \"z«z\", \"n\": 1»2}"}', ["z", "n", "12"]),
        (r'{"a": «"{\"b\": \"zz\"}"»}', [r"{\"b\": \"zz\"}"]),
        ("x%«20zz»", []),
        ("x«%20zz»", ["%20zz"]),
        ("«zz%»41x", ["zz%41"]),
        ("«zz%C3»%A9x", ["zz%C3%A9"]),
        ("x&#x«41;zz»", []),
        ("x&«quot;zz»", []),
        (r"x\«nzz»", []),
        (r"«zz\»" + '" y', ["zz"]),
        ("«zz [redacted:email] yy»", ["zz ", " yy"]),
        ("«--- [redacted:email] yy»", [" yy"]),
    ],
)
def test_edges(text: str, parts: list[str]) -> None:
    assert fitted(text) == parts


def test_the_backslash_of_a_path_is_no_escape() -> None:
    assert fitted(r"C:\Users\«nora»\x", "home_user") == ["nora"]
    assert redact_text(r"C:\Users\nora\x") == r"C:\Users\[redacted:home_user]\x"


def test_a_number_becomes_a_string_as_deep_as_it_stands() -> None:
    inner = json.dumps({"phone": -34600123456})
    clean = redact_text(json.dumps({"body": inner}))
    assert json.loads(json.loads(clean)["body"]) == {"phone": "[redacted:phone]"}


def test_quotes_do_not_multiply() -> None:
    """Each level doubles the backslashes before a quote: numbers far down would grow a text without bounds."""
    text = json.dumps([4111111111111111] * 50)
    for _ in range(12):
        text = json.dumps([text])
    assert len(redact_text(text)) < 4 * len(text)


def test_a_document_in_running_text_and_in_a_log_stays_one() -> None:
    secret = made("edges", 16)
    clean = redact_text(f'POST failed: {{"password": 12345678, "user": "bob"}} for {secret}\n{{"token": 99999999999}}')
    assert json.loads(clean[clean.index("{") : clean.index("}") + 1]) == {
        "password": "[redacted:password]",
        "user": "bob",
    }
    assert json.loads(clean.splitlines()[1]) == {"token": "[redacted:token]"}

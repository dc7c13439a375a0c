"""Untrusted Markdown comes out inert."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma.markdown import is_plain_link, render
from tests.support.html import inert

HOSTILE = [
    "[x][y]\n\n[y]: javascript:alert(1)",
    "[a](JaVaScRiPt&colon;alert(1))",
    "[a](java\tscript:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](\x01javascript:alert(1))",
    "![i](data:text/html,<script>alert(1)</script>)",
    "![i](javascript:alert(1))",
    "[d](data:text/html;base64,PHNjcmlwdD4=)",
    "[v](vbscript:msgbox(1))",
    "[f](file:///etc/passwd)",
    "[r](/admin/logout/)",
    "[p](//evil.example/x)",
    "<javascript:1>",
    "<img src=x onerror=1>",
    "<svg onload=alert(1)>",
    "<a href='javascript:1'>x</a>",
    "```js\n</code><script>alert(1)</script>\n```",
    "`<script>`",
    '[t](https://ok.example "x\\" onmouseover=\\"alert(1)")',
    "| <img src=x onerror=1> |\n|---|\n| [x](javascript:1) |",
    "<!-- --><style>*{}</style>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_text(text: str) -> None:
    assert inert(render(text)) == []


@pytest.mark.parametrize("target", ["https://example.org/a?b=1", "http://example.org", "mailto:ada@example.org"])
def test_plain_links_stay_links_and_tell_nothing(target: str) -> None:
    html = render(f"[here]({target})")
    assert f'href="{target}"' in html
    assert 'rel="nofollow noreferrer noopener"' in html


def test_a_picture_becomes_a_link() -> None:
    html = render("![a <b> cat](https://canary.example/cat.png)")
    assert "<img" not in html
    assert 'href="https://canary.example/cat.png"' in html
    assert "a &lt;b&gt; cat" in html


def test_what_people_write_is_rendered() -> None:
    html = render("## Head\n\n1. **one**\n2. `two`\n\n> said\n\n| a | b |\n|---|---|\n| 1 | ~~2~~ |\n")
    for tag in ("<h2>", "<ol>", "<strong>one</strong>", "<code>two</code>", "<blockquote>", "<td>1</td>", "<s>2</s>"):
        assert tag in html


@pytest.mark.parametrize("url", ["javascript:1", "data:x", "/x", "//x", "#x", "https:x", "https:///x", "", "ftp://x"])
def test_other_targets_are_no_plain_links(url: str) -> None:
    assert not is_plain_link(url)


@given(st.text(alphabet=st.sampled_from("[]()<>!&;:\"'`*_|\n javscriptdat/#0x=onerror"), max_size=80))
def test_no_text_comes_out_alive(text: str) -> None:
    assert inert(render(text)) == []

"""Untrusted Markdown to inert HTML.

Two walls: the parser takes no HTML and only plain links, and an allow-list cleans what it made. Nothing that comes out
loads anything by itself: images become links.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

LINK_SCHEMES = frozenset({"http", "https", "mailto"})
_BLOCKS = {"blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"}
_TABLES = {"table", "tbody", "td", "th", "thead", "tr"}
TAGS = frozenset({"a", "br", "code", "del", "em", "s", "strong", *_BLOCKS, *_TABLES})
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_PLAIN_LINK = re.compile(r"(?:https?://[^\s/]|mailto:\S)", re.IGNORECASE)


def render(text: str) -> str:
    """HTML that is safe to show as it is. Anything that is not plain Markdown appears as the characters it is."""
    return nh3.clean(
        _PARSER.render(text.replace("\0", "\N{REPLACEMENT CHARACTER}")),
        tags=set(TAGS),
        attributes=_ATTRIBUTES,
        url_schemes=set(LINK_SCHEMES),
        link_rel="nofollow noreferrer noopener",
    )


def is_plain_link(url: str) -> bool:
    """Whether a link target is absolute and of a scheme that only opens something."""
    return _PLAIN_LINK.match(url) is not None


def _image_as_link(
    renderer: RendererHTML, tokens: Sequence[Token], position: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    """A picture is fetched only by whoever clicks it."""
    token = tokens[position]
    shown = renderer.renderInlineAsText(token.children, options, env) or "image"
    link = Token("link_open", "a", 1, attrs={"href": str(token.attrGet("src") or "")})
    return f"{renderer.renderToken([link], 0, options, env)}{_escaped(shown)}</a>"


def _escaped(text: str) -> str:
    return nh3.clean_text(text)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    parser.validateLink = is_plain_link  # type: ignore[method-assign]  # the documented way to narrow links
    parser.add_render_rule("image", _image_as_link)
    return parser


_PARSER = _parser()

"""What is alive in a page: everything that would run, load or lead somewhere by somebody else's word."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlsplit

LOADING = frozenset({"iframe", "object", "embed", "base", "frame", "applet", "audio", "video", "source", "style"})
ADDRESSES = frozenset({"href", "src", "action", "formaction", "xlink:href", "poster", "srcset", "data"})
OPENING = frozenset({"", "http", "https", "mailto"})


class _Looker(HTMLParser):
    """Collects what is alive. `ours`: prefixes of addresses that may be loaded."""

    def __init__(self, ours: tuple[str, ...]) -> None:
        super().__init__(convert_charrefs=True)
        self.ours, self.found, self.in_script = ours, [], False  # type: ignore[var-annotated]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: (value or "").strip() for name, value in attrs}
        self.in_script = tag == "script"
        if tag in LOADING:
            self.found.append(f"<{tag}>")
        if tag in ("script", "img", "link") and not held.get("src", held.get("href", "")).startswith(self.ours):
            self.found.append(f"<{tag}> loads {held}")
        if tag == "meta" and "http-equiv" in held:
            self.found.append("<meta http-equiv>")
        for name, value in held.items():
            if name.startswith("on") or name == "style":
                self.found.append(f"{tag} {name}={value}")
            if name in ADDRESSES and _scheme(value) not in OPENING:
                self.found.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        if self.in_script and data.strip():
            self.found.append(f"inline script {data[:40]}")

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False


def inert(html: str, ours: tuple[str, ...] = ("\0",)) -> list[str]:
    """What is alive, one line each; empty when all is well. `ours`: what scripts, pictures and styles may load."""
    looker = _Looker(ours)
    looker.feed(html)
    looker.close()
    return looker.found


def _scheme(address: str) -> str:
    """As a browser reads it: tabs, line ends and control characters do not count."""
    seen = "".join(char for char in address if char > " ")
    try:
        return urlsplit(seen).scheme.lower()
    except ValueError:
        return "unreadable"


def addresses(html: str, below: str) -> set[str]:
    """Every link of a page that starts with `below`, without its query."""
    found: set[str] = set()

    class Links(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag == "a":
                found.update(value.partition("#")[0] for name, value in attrs if name == "href" and value)

    Links(convert_charrefs=True).feed(html)
    return {address for address in found if address.startswith(below)}

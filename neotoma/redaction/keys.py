"""Private key blocks: PEM, OpenSSH, PGP, SSH2 and PuTTY; whole or cut off at either end; quoted, indented, escaped."""

import re
from collections.abc import Iterator

from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View

_EDGE = re.compile(r"-{4,5} ?(?P<which>BEGIN|END) (?P<label>[A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?) ?-{4,5}")
_RUN = re.compile(r"[A-Za-z0-9+/]{16,8192}+={0,2}")
_GAP = r"[\s>|+#*,\"'\\]{0,200}+"
_HEADER = r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): ?[^\n\\\"']{0,120}+)"
_BODY = re.compile(
    rf"(?:{_GAP}(?:{_HEADER}|=?[A-Za-z0-9+/]{{24,8192}}+={{0,2}})){{1,600}}+"
    r"(?:\s[\s>|+]{0,60}+[A-Za-z0-9+/]{1,64}+={0,2}(?=\s{0,8}\Z|[ \t]{0,8}[\"'\n]|\.\.\.))?"
)
_LINE = re.compile(
    r"(?<=[\"'\n])[ \t>|+#*]{0,24}+(?P<line>[A-Za-z0-9+/]{1,8192}+={0,2})(?=[ \t\r]{0,4}(?:[\"'\n\\]|\Z))"
)
_TAIL_LINE = re.compile(r"[ \t>|+#*]{0,24}[A-Za-z0-9+/]{1,128}={0,2}[ \t\r\"',+]{0,8}")
_PUTTY = re.compile(
    r"Private-Lines: [0-9]{1,3}\r?\n(?P<secret>(?:[ \t]{0,16}[A-Za-z0-9+/=]{1,80}\r?(?:\n|\Z)){1,200}+)"
)


@shown_by("private key", "private-lines:")
def find(view: View) -> Iterator[Span]:
    text = view.text
    if "PRIVATE KEY" in text:
        yield from _blocks(text, list(_EDGE.finditer(text)))
    if "Private-Lines:" in text:
        for found in _PUTTY.finditer(text):
            yield Span(found.start("secret"), found.end("secret") - 1, "private_key")


def _blocks(text: str, edges: list[re.Match[str]]) -> Iterator[Span]:
    done = 0
    for index, edge in enumerate(edges):
        following = edges[index + 1] if index + 1 < len(edges) else None
        if edge["which"] == "END":
            if edge.start() > done:
                yield from _headless(text, done, edge)
        elif following is not None and following["which"] == "END":
            yield from _whole(text, edge, following)
            done = following.end()
            continue
        else:
            yield from _cut_off(text, edge, following.start() if following else len(text))
        done = edge.end()


def _whole(text: str, begin: re.Match[str], end: re.Match[str]) -> Iterator[Span]:
    """Everything between the edges; where string quotes stand between, only the lines, so that lists stay lists."""
    runs = [run for run in _RUN.finditer(text, begin.end(), end.start()) if _is_encoded(run[0])]
    between = text[begin.end() : end.start()]
    if not runs:
        return
    if '"' in between or "'" in between:
        yield from _lines(text, begin.end(), end.start())
    else:
        yield Span(begin.start(), end.end(), "private_key")


def _cut_off(text: str, begin: re.Match[str], limit: int) -> Iterator[Span]:
    body = _BODY.match(text, begin.end(), limit)
    if body is not None:
        if '"' in body[0] or "'" in body[0]:
            yield from _lines(text, begin.end(), body.end() + 1)
        else:
            yield Span(begin.start(), body.end(), "private_key")


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    for line in _LINE.finditer(text, start, end):
        yield Span(*line.span("line"), "private_key")


def _headless(text: str, start: int, end: re.Match[str]) -> Iterator[Span]:
    """The lines before an END whose BEGIN was cut off."""
    first = end.start()
    for line in reversed(text[start : end.start()].rstrip().split("\n")[-600:]):
        if _TAIL_LINE.fullmatch(line) is None:
            break
        place = text.rfind(line, start, first)
        first = place + len(line) - len(line.lstrip(" \t>|+#*"))
    if _RUN.search(text, first, end.start()):
        yield Span(first, end.end(), "private_key")


def _is_encoded(run: str) -> bool:
    return (
        len(run) >= 40 or any(c.isdecimal() or c in "+/=" for c in run) or (run != run.lower() and run != run.upper())
    )

"""The signature of an error that a text quotes (pure): exception type, normalised message, top frame.

Two reports of one failure differ in ids, numbers, paths and values; the signature leaves those out, so that equal
signatures mean one problem. Work is linear: lines are cut before any pattern sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MAX_LINES = 2_000
MAX_LINE = 400
MAX_MESSAGE = 160

_TYPE = r"(?:[A-Za-z_][\w$]{0,80}[.:]{1,2}){0,8}[A-Z][\w$]{0,80}?(?:Error|Exception|Warning|Failure|Fault|Timeout)"
_TYPED = re.compile(rf"(?:Uncaught |Caused by: |Exception in thread \"[^\"]{{1,80}}\" )?({_TYPE})(?::\s*(.*))?")
_PANIC = re.compile(r"(?:thread '[^']{1,80}' )?(panic(?:ked)?)(?: at)?:? (.+)")
_ERRNO = "ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOENT|EACCES|EPERM|EEXIST|EPIPE|EADDRINUSE|ENOSPC|EMFILE"
_CODE = re.compile(rf"\b(ERR_[A-Z0-9_]{{3,60}}|{_ERRNO}|SIG(?:SEGV|ABRT|KILL|BUS))\b(?::\s*(.*))?")

_PYTHON_FRAME = re.compile(r"File \"([^\"]{1,300})\", line \d+(?:, in (\S{1,100}))?")
_CALL_FRAME = re.compile(r"at (?:async )?([\w.$<>\[\]]{1,150}) ?\(([^()]{1,300})\)")

_NOISE: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'|`[^`]{0,200}`"), "<value>"),
    (re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S{1,200}"), "<url>"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[\\/][\w.@~+-]{1,100}){2,}"), "<path>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b", re.I), "<id>"),
    (re.compile(r"\b(?:ent|obs|src|evt)_[0-9a-f]{8,64}\b"), "<id>"),
    (re.compile(r"\b(?:0x)?(?=[0-9a-f]{0,40}[0-9])[0-9a-f]{7,64}\b", re.I), "<id>"),
    (re.compile(r"\d+(?:[.,:]\d+)*"), "<n>"),
)


class QuotedError(NamedTuple):
    """One error as a text quotes it; `line` is where, counted from 0."""

    kind: str
    message: str
    line: int


def error_signature(text: str) -> str | None:
    """`type|message|frame` in lower case, the same for every report of one failure; None without an error."""
    lines = [line.strip()[:MAX_LINE] for line in text.splitlines()[:MAX_LINES]]
    error = quoted_error(lines)
    if error is None:
        return None
    kind = re.split(r"[.:]", error.kind)[-1]
    message, frame = normalised(error.message), _top_frame(lines, error.line)
    # A type that is only named in passing fits half the reports there are.
    if not message and not frame and _CODE.fullmatch(kind) is None:
        return None
    return f"{kind}|{message}|{frame}".lower()


def quoted_error(lines: Sequence[str]) -> QuotedError | None:
    """The error that best names the failure: a typed line, else a panic, else a code; the last of its sort."""
    for pattern, whole_line in ((_TYPED, True), (_PANIC, True), (_TYPED, False), (_CODE, False)):
        found = _last_match(pattern, lines, whole_line)
        if found is not None:
            return found
    return None


def normalised(message: str) -> str:
    """The message with quoted values, addresses, paths, ids and numbers replaced by their sort."""
    for pattern, sort in _NOISE:
        message = pattern.sub(sort, message)
    return " ".join(message.split())[:MAX_MESSAGE].rstrip(" .")


def _last_match(pattern: re.Pattern[str], lines: Sequence[str], whole_line: bool) -> QuotedError | None:
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number].strip("`*> ")
        match = pattern.fullmatch(line) if whole_line else pattern.search(line)
        if match is not None:
            return QuotedError(match[1], match[2] or "", number)
    return None


def _top_frame(lines: Sequence[str], at: int) -> str:
    """The frame nearest to the failure: Python prints it last and above, most others first and below."""
    above = _frames(reversed(lines[:at]), _PYTHON_FRAME)
    below = _frames(lines[at + 1 :], _CALL_FRAME)
    return next(iter(above or below), "")


def _frames(lines: Iterable[str], pattern: re.Pattern[str]) -> list[str]:
    found = (pattern.search(line) for line in lines)
    return [_frame_name(match, pattern) for match in found if match is not None]


def _frame_name(match: re.Match[str], pattern: re.Pattern[str]) -> str:
    place, function = (match[1], match[2] or "") if pattern is _PYTHON_FRAME else (match[2], match[1])
    file = re.split(r"[\\/]", place)[-1].split(":")[0]
    return f"{file}:{function}"

"""MCP over standard input and output: one message a line, the same dispatcher, no HTTP."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import BinaryIO

from django.db import close_old_connections, connection

from neotoma.access.authenticate import from_header
from neotoma.access.principals import Principal
from neotoma.logs import bind_request_id, forget_request_id, new_request_id
from neotoma.operations.json import MAX_BYTES, BodyTooLarge, parse
from neotoma.operations.local import local_principal
from neotoma.operations.mcp.bridge import Bridge
from neotoma.operations.mcp.dispatcher import Dispatcher, unreadable
from neotoma.operations.mcp.exchange import Visit
from neotoma.substrate.errors import Refusal

Answer = Callable[[bytes], bytes]
"""From one line to the line that answers it; empty when nothing does."""


def serve_stdio(url: str | None = None, token: str | None = None) -> None:
    """Serve until standard input ends: this installation, or the remote one at `url`.

    `token` says who calls; without it, this installation itself does. Django is set up already. Whatever else writes
    to standard output goes to standard error, so that a stray `print` never breaks the protocol.
    """
    answer = Bridge(url, token).answer if url else local(token)
    with os.fdopen(os.dup(1), "wb", buffering=0) as answers, os.fdopen(os.dup(0), "rb") as questions:
        os.dup2(2, 1)
        serve(questions, answers, answer)


def serve(questions: BinaryIO, answers: BinaryIO, answer: Answer) -> None:
    """Read messages from `questions`, write replies to `answers`, both one a line."""
    while line := questions.readline(MAX_BYTES + 1):
        reply = _too_long(questions, line) if len(line) > MAX_BYTES else answer(line) if line.strip() else b""
        if reply:
            answers.write(reply + b"\n")
            answers.flush()


def local(token: str | None) -> Answer:
    """Answers from the database at hand. A token is looked up for each message, so a revoked one ends at once."""
    dispatcher = Dispatcher()

    def authenticate() -> Principal:
        return from_header(f"Bearer {token}") if token else local_principal()

    def answer(line: bytes) -> bytes:
        request_id = new_request_id()
        bind_request_id(request_id)
        if not connection.in_atomic_block:  # within somebody's transaction it would end that
            close_old_connections()
        try:
            return dispatcher.handle(parse(line), headers=None, visit=Visit(authenticate, "stdio", request_id)).body
        except Refusal as refusal:
            return unreadable(refusal, None, request_id).body
        finally:
            forget_request_id()

    return answer


def _too_long(questions: BinaryIO, line: bytes) -> bytes:
    """Read past the rest of the line, so that the next one is a message again."""
    while line and not line.endswith(b"\n"):
        line = questions.readline(MAX_BYTES)
    refusal = BodyTooLarge(f"The message has more than {MAX_BYTES} bytes.", details={"limit_bytes": MAX_BYTES})
    return unreadable(refusal, None, new_request_id()).body

"""Send one webhook once, and say how it went."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from urllib3 import BaseHTTPResponse, Timeout
from urllib3.exceptions import HTTPError, ProtocolError, SSLError
from urllib3.exceptions import TimeoutError as HTTPTimeout

from webhooks.addresses import ForbiddenTarget, check_url
from webhooks.connections import CURRENT, Attempt, Dial, Resolve, Unreachable, dial, pools

State = Literal["delivered", "failed", "blocked_target"]

RESPONSE_CAP = 64 * 1024  # bytes read of an answer; the connection of a longer one is closed
HEAD_KEPT = 2048  # bytes of it that are kept
_HEADERS = {"Content-Type": "application/json", "User-Agent": "neotoma-webhook", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the one attempt ended.

    `error` is a word of ours: the `Reason` of a blocked target, or dns, connect, connect_timeout, tls, timeout,
    disconnected, bad_response, redirect, status. `response_head` is the start of the answer's body as text without NUL.
    """

    state: State
    http_status: int | None
    duration_ms: int
    error: str | None
    response_head: str


def send(
    target_url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    allow_local: bool,
    resolve: Resolve = socket.getaddrinfo,
    dial: Dial = dial,
    ca_file: str | None = None,
    deadline_s: float = 10.0,
    connect_s: float = 3.0,
) -> Outcome:
    """POST `body` once: no retry, no redirect, no proxy. Any 2xx is delivered, whatever becomes of the answer's body.

    Resolving, connecting and the TLS handshake share `connect_s`; all of it ends within `deadline_s`. `ca_file` is a
    PEM file to trust in place of the public authorities.
    """
    started = time.monotonic()

    def ended(state: State, error: str | None, status: int | None = None, head: str = "") -> Outcome:
        return Outcome(state, status, round((time.monotonic() - started) * 1000), error, head)

    try:
        target = check_url(target_url, allow_local=allow_local)
        attempt = Attempt(target, started + deadline_s, started + connect_s, resolve, dial)
        status, head = _post(attempt, body, headers, ca_file)
    except ForbiddenTarget as refusal:
        return ended("blocked_target", refusal.reason)
    except Unreachable as failure:
        return ended("failed", failure.word)
    except HTTPError as failure:
        return ended("failed", _word(failure))
    if 200 <= status < 300:
        return ended("delivered", None, status, head)
    return ended("failed", "redirect" if 300 <= status < 400 else "status", status, head)


def _post(attempt: Attempt, body: bytes, headers: Mapping[str, str], ca_file: str | None) -> tuple[int, str]:
    """Status and head of the answer. The pool is asked by the checked parts, so no second parser reads the URL."""
    target = attempt.target
    pool = pools(ca_file).connection_from_host(target.host, target.port, target.scheme)
    timeout = Timeout(connect=attempt.connect_left(), read=attempt.left())
    mine = CURRENT.set(attempt)
    try:
        response = pool.urlopen(
            "POST",
            target.path,
            body=body,
            headers={**_HEADERS, **headers},
            retries=False,
            redirect=False,
            timeout=timeout,
            preload_content=False,
            decode_content=False,
        )
        return response.status, _head(response)
    finally:
        CURRENT.reset(mine)


def _head(response: BaseHTTPResponse) -> str:
    """Read the answer up to its cap, so that its connection can serve again; a broken or endless one is closed."""
    received = bytearray()
    try:
        while len(received) < RESPONSE_CAP and (piece := response.read1(RESPONSE_CAP - len(received))):
            received += piece
    except HTTPError:
        pass  # the status was said: the rest is only for the record
    finally:
        response.close()
    return received[:HEAD_KEPT].decode(errors="replace").replace("\0", "�")


def _word(failure: HTTPError) -> str:
    """Third-party texts may quote the URL or headers, so none is passed on."""
    cause = failure.args[1] if isinstance(failure, ProtocolError) and len(failure.args) > 1 else None
    if isinstance(failure, HTTPTimeout) or isinstance(cause, TimeoutError):
        return "timeout"
    if isinstance(failure, SSLError):
        return "tls"
    return "disconnected" if isinstance(cause, OSError) else "bad_response"

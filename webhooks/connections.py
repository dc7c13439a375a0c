"""HTTP connections that open only to checked addresses, and whose every step ends at the attempt's deadline."""

from __future__ import annotations

import functools
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

import certifi
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

from webhooks.addresses import Target, check_address

Resolve = Callable[..., Sequence[tuple[Any, ...]]]  # as socket.getaddrinfo
Dial = Callable[[str, int, float], socket.socket]  # address, port, seconds

# Many servers close an idle connection after five seconds; a request on one that is just closing would be lost.
IDLE_S = 4.0
_MAX_ADDRESSES = 8


class Unreachable(Exception):
    """No connection was made, nothing was sent; `word` says where it ended."""

    def __init__(self, word: Literal["dns", "connect", "connect_timeout"]) -> None:
        super().__init__(word)
        self.word = word


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request in progress. `ends` and `connect_ends` are on the monotonic clock, in seconds."""

    target: Target
    ends: float
    connect_ends: float
    resolve: Resolve
    dial: Dial

    def left(self) -> float:
        """Seconds until the whole attempt is over; raises TimeoutError after that."""
        left = self.ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def connect_left(self) -> float:
        """Seconds left to resolve, connect and shake hands; raises Unreachable after that."""
        left = min(self.connect_ends, self.ends) - time.monotonic()
        if left <= 0:
            raise Unreachable("connect_timeout")
        return left


# What this thread is sending. Connections outlive an attempt, so they look here for the one they serve.
CURRENT: ContextVar[Attempt] = ContextVar("attempt")


class TimedSocket(socket.socket):
    """Each read and write gets what is left of the attempt: a plain timeout starts anew with every byte that drips."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        self.settimeout(CURRENT.get().left())
        return super().recv_into(*args, **kwargs)

    def send(self, *args: Any, **kwargs: Any) -> int:
        self.settimeout(CURRENT.get().left())
        return super().send(*args, **kwargs)

    def sendall(self, *args: Any, **kwargs: Any) -> None:
        self.settimeout(CURRENT.get().left())
        super().sendall(*args, **kwargs)


class TimedTLS(TimedSocket, ssl.SSLSocket):
    """The same over TLS: the methods above come first, then those of SSLSocket."""


class VettedConnection(HTTPConnection):
    """Connects to an address that was checked, never to a name; the Host header and SNI keep the name."""

    _fresh_until = 0.0

    def _new_conn(self) -> socket.socket:
        return open_vetted(CURRENT.get())

    def getresponse(self) -> Any:
        self._fresh_until = time.monotonic() + IDLE_S
        return super().getresponse()

    @property
    def is_connected(self) -> bool:
        """Whether the pool may use this connection again."""
        return time.monotonic() < self._fresh_until and super().is_connected


class VettedTLSConnection(VettedConnection, HTTPSConnection):
    """The same over TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = VettedConnection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = VettedTLSConnection


@functools.cache
def pools(ca_file: str | None) -> PoolManager:
    """The keep-alive connections of this process, by scheme, host and port; safe to use from many threads.

    urllib3 knows no proxies, cookies or netrc unless told to, so the environment has no say in where a request goes.
    """
    context = ssl.create_default_context(cafile=ca_file or certifi.where())
    context.sslsocket_class = TimedTLS
    manager = PoolManager(num_pools=64, maxsize=4, ssl_context=context)
    manager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}
    return manager


def open_vetted(attempt: Attempt) -> socket.socket:
    """A socket to one of the target's addresses, all of which were checked. Raises ForbiddenTarget or Unreachable."""
    addresses = vetted_addresses(attempt.target, attempt.resolve, attempt.connect_left())
    timed_out = False
    for position, address in enumerate(addresses):
        share = attempt.connect_left() / (len(addresses) - position)  # a dead address leaves time for the next
        try:
            sock = attempt.dial(address, attempt.target.port, share)
        except OSError as error:
            timed_out = isinstance(error, TimeoutError)
        else:
            sock.settimeout(attempt.connect_left())  # for the TLS handshake
            return sock
    raise Unreachable("connect_timeout" if timed_out else "connect")


def vetted_addresses(target: Target, resolve: Resolve, seconds: float) -> list[str]:
    """The addresses behind a target, resolved once. One that is not allowed forbids all: raises ForbiddenTarget.

    Raises Unreachable when there is no answer within `seconds`.
    """
    answers = _resolve_within(resolve, target, seconds)
    addresses = list(dict.fromkeys(str(answer[4][0]) for answer in answers))
    for address in addresses:
        check_address(address, local=target.local)
    if not addresses:
        raise Unreachable("dns")
    return addresses[:_MAX_ADDRESSES]


def dial(address: str, port: int, seconds: float) -> socket.socket:
    """A TCP connection to a bare address within `seconds`; raises OSError."""
    sock = TimedSocket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.settimeout(seconds)
        sock.connect((address, port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:
        sock.close()
        raise
    return sock


def _resolve_within(resolve: Resolve, target: Target, seconds: float) -> Sequence[tuple[Any, ...]]:
    """The resolver has no time limit of its own, so it runs in a thread that may be left behind."""
    answer: queue.SimpleQueue[Sequence[tuple[Any, ...]]] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answer.put(resolve(target.host, target.port, type=socket.SOCK_STREAM))
        except OSError:
            answer.put([])

    threading.Thread(target=ask, name="webhook-resolve", daemon=True).start()
    try:
        return answer.get(timeout=seconds)
    except queue.Empty:
        raise Unreachable("connect_timeout") from None

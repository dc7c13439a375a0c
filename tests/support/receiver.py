"""A real HTTP server on loopback that keeps what it was sent and answers as it is told."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

_DRIP_S = 0.02  # between two bytes of a dripping answer
_DRIPS = 300  # then it is complete, so that a client without a deadline is seen to be patient


@dataclass(frozen=True)
class Answer:
    """What the server says. `drip` sends bytes one by one for six seconds; `hang` reads the request, then nothing."""

    status: int = 200
    body: bytes = b"ok"
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0
    hang: bool = False
    drip: Literal["", "head", "body"] = ""
    redirect: str = ""
    close: bool = False
    raw: bytes = b""  # sent as it is, in place of an answer


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    headers: dict[str, str]  # names in lower case
    body: bytes
    connection: int  # the same number for requests of one connection


@dataclass
class Receiver:
    """`answer` may be changed between requests. `connections` counts TCP connections, with or without a request."""

    port: int
    answer: Answer
    scheme: str = "http"
    connections: int = 0
    requests: list[Received] = field(default_factory=list)
    server_names: list[str | None] = field(default_factory=list)  # SNI of each TLS handshake
    stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/hook"

    def wait_for(self, count: int, seconds: float = 10.0) -> list[Received]:
        """The requests, once there are `count` of them; fails after `seconds`."""
        ends = time.monotonic() + seconds
        while len(self.requests) < count:
            assert time.monotonic() < ends, f"{len(self.requests)} of {count} requests came"
            time.sleep(0.01)
        return list(self.requests)


@contextmanager
def receiver(*, tls: ssl.SSLContext | None = None, answer: Answer | None = None, **says: Any) -> Iterator[Receiver]:
    """Serve on a free loopback port, over TLS when given a server context. `says` are fields of `Answer`."""
    server = _Server(("127.0.0.1", 0), _Handler)
    notes = Receiver(server.server_port, answer or Answer(**says), "https" if tls else "http")
    server.notes = notes
    if tls:
        tls.set_servername_callback(lambda _sock, name, _context: notes.server_names.append(name))
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield notes
    finally:
        notes.stopped.set()
        server.shutdown()
        thread.join()
        server.hang_up()
        server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that closing waits until every handler is done
    notes: Receiver

    def __init__(self, *args: Any) -> None:
        self.open: set[socket.socket] = set()
        self.lock = threading.Lock()
        super().__init__(*args)

    def get_request(self) -> tuple[socket.socket, Any]:
        request, address = super().get_request()
        with self.lock:
            self.open.add(request)
            self.notes.connections += 1
        return request, address

    def shutdown_request(self, request: Any) -> None:
        with self.lock:
            self.open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        with self.lock:
            for request in self.open:
                try:
                    request.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # the other side was first

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that leave in the middle are what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def _serve(self) -> None:
        notes, answer = self.server.notes, self.server.notes.answer
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        notes.requests.append(Received(self.command, self.path, headers, body, self.client_address[1]))
        notes.stopped.wait(answer.delay_s)
        if answer.hang:
            notes.stopped.wait()
        if answer.hang or answer.raw or answer.drip:
            self.close_connection = True
            self.wfile.write(answer.raw)
            self._drip(answer)
        else:
            self._say(answer)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

    def _say(self, answer: Answer) -> None:
        self.send_response(302 if answer.redirect and answer.status == 200 else answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        if answer.redirect:
            self.send_header("Location", answer.redirect)
        if answer.close:
            self.send_header("Connection", "close")
        if answer.status != 204:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if answer.status != 204 and self.command != "HEAD":
            self.wfile.write(answer.body)

    def _drip(self, answer: Answer) -> None:
        if answer.drip == "body":
            self.wfile.write(f"HTTP/1.1 {answer.status} Dripping\r\n\r\n".encode())
        elif answer.drip == "head":
            self.wfile.write(f"HTTP/1.1 {answer.status} Dripping\r\nX-Drip: ".encode())
        for _ in range(_DRIPS if answer.drip else 0):
            if self.server.notes.stopped.wait(_DRIP_S):
                return
            self.wfile.write(b".")
        if answer.drip == "head":
            self.wfile.write(b"\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the requests are kept, not printed."""

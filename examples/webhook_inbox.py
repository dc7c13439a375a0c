"""A webhook receiver as an endpoint of yours would be: it checks the raw bytes, answers at once, works later."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from typing import Any

from standardwebhooks.webhooks import EmptyWebhookSecretError, Webhook, WebhookVerificationError


class Inbox:
    """What came in. `secret` is what `subscribe` answered; nothing is accepted before it is set.

    `bodies` keeps every body as it came, `refused` counts those whose signature does not hold.
    """

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/hook"
        self.secret = ""
        self.bodies: list[bytes] = []
        self.refused = 0
        self._accepted: Queue[dict[str, Any]] = Queue()

    def take(self, body: bytes, headers: dict[str, str]) -> bool:
        """Whether the signature holds; only then the message is kept for work."""
        self.bodies.append(body)
        try:
            message = Webhook(self.secret).verify(body, headers)
        except (EmptyWebhookSecretError, WebhookVerificationError):
            self.refused += 1
            return False
        self._accepted.put(message)
        return True

    def next_event(self, seconds: float) -> dict[str, Any]:
        """The next event whose signature held; raises AssertionError when none comes in time."""
        try:
            event: dict[str, Any] = self._accepted.get(timeout=seconds)["data"]
        except Empty:
            raise AssertionError(f"no webhook within {seconds} s; {self.refused} were refused") from None
        return event


@contextmanager
def listening() -> Iterator[Inbox]:
    """An inbox on a free loopback port while the block runs."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.inbox = Inbox(server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.inbox
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    inbox: Inbox


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        held = self.server.inbox.take(body, {name.lower(): value for name, value in self.headers.items()})
        self.send_response(204 if held else 401)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the demo prints what it took."""

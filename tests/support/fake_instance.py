"""A small HTTP server that has a manifest and answers what it is told to."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

OPERATIONS = [
    {
        "name": "make_toy",
        "effect": "write",
        "rest": {"method": "POST", "path": "/api/toys"},
        "parameters": ["name", "idempotency_key"],
    },
    {
        "name": "find_toys",
        "effect": "read",
        "rest": {"method": "GET", "path": "/api/toys"},
        "parameters": ["tags", "cursor"],
    },
    {
        "name": "ping_toy",
        "effect": "write",
        "rest": {"method": "POST", "path": "/api/toys/{name}/ping"},
        "parameters": ["name"],
    },
    {
        "name": "add_issue_message",
        "effect": "write",
        "rest": {"method": "POST", "path": "/api/issues/{issue}/messages"},
        "parameters": ["issue_number", "entity_id", "body", "idempotency_key"],
    },
]


Answer = tuple[int, dict[str, str], Any]
"""Status, headers, and a value that is sent as JSON, or bytes."""


@dataclass
class Instance:
    """What a fake instance answers, in turn, and what it was asked. An answer of None drops the connection."""

    answers: list[Answer | None]
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def instance(*answers: Answer | None) -> Iterator[Instance]:
    state = Instance(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"null")
            target = urlsplit(self.path)
            if target.path == "/api/manifest":
                return self.write(200, {}, {"operations": OPERATIONS})
            state.asked.append(
                {
                    "method": self.command,
                    "path": target.path,
                    "query": parse_qs(target.query),
                    "body": body,
                    "authorization": self.headers.get("Authorization"),
                }
            )
            given = state.answers.pop(0)
            if given is None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return None
            return self.write(*given)

        def write(self, status: int, headers: dict[str, str], value: Any) -> None:
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            for name, text in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

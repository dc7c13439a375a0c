"""A real HTTP server on the test's own transaction: facts are append-only, so nothing could be flushed afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, connections


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """The application logs."""


@pytest.fixture
def server(db: None) -> Iterator[str]:
    """Its address. One thread serves, on the connection of the test."""
    application, shared = get_wsgi_application(), connections["default"]

    def on_the_tests_connection(environ: Any, start_response: Any) -> Any:
        connections["default"] = shared
        return application(environ, start_response)

    httpd = make_server("127.0.0.1", 0, on_the_tests_connection, handler_class=Quiet)
    thread = Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    shared.inc_thread_sharing()
    for signal in (request_started, request_finished):  # a request would end the transaction it runs in
        signal.disconnect(close_old_connections)
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}"
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)
        shared.dec_thread_sharing()

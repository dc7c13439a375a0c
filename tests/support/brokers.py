"""Brokers that take connections and then do not answer: real sockets that stay silent."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hangs() -> Iterator[int]:
    """The port of a server that accepts and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield int(server.getsockname()[1])


@contextmanager
def greets_then_hangs() -> Iterator[int]:
    """The port of a Redis that lets clients in and falls silent at their first question, a transaction."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []
        threading.Thread(target=_let_in, args=(server, held), daemon=True).start()
        yield int(server.getsockname()[1])
        for client in held:
            client.close()


def _let_in(server: socket.socket, held: list[socket.socket]) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return  # the test is over
        held.append(client)
        threading.Thread(target=_greet, args=(client,), daemon=True).start()


def _greet(client: socket.socket) -> None:
    """Every command of the handshake is fine; RESP names each by an array of its words."""
    answers = {b"HELLO": b"%1\r\n+proto\r\n:3\r\n", b"PING": b"+PONG\r\n"}
    try:
        while asked := client.recv(65536):
            for command in asked.upper().split(b"\r\n*"):
                word = command.split(b"\r\n")[2]
                if word == b"MULTI":
                    return
                client.sendall(answers.get(word, b"+OK\r\n"))
    except OSError:
        return

"""What one instance must have to itself: its data folder and its port."""

import errno
import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Taken(Exception):
    """Somebody else holds what this instance needs; the text says what and what to do."""


@contextmanager
def data_folder(data: Path) -> Iterator[None]:
    """Hold the folder while the block runs; raises `Taken` when another instance does."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(data / "up.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise Taken(f"{data} is in use by a running instance; stop it or set NEOTOMA_DATA to another folder") from error
    finally:
        os.close(descriptor)


def check_port(host: str, port: int) -> None:
    """Raise `Taken` when nothing could listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            reason = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
            raise Taken(f"port {port} on {host} {reason}; set NEOTOMA_PORT to another one") from error

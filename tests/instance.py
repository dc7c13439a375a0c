"""A whole instance for a test: `manage.py up` in a folder, on a port and, where asked, a database of its own."""

import os
import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis
from psycopg import sql

from examples.instance import ROOT, Instance, free_port, started, wait_for

__all__ = [
    "ROOT",
    "Instance",
    "answers",
    "free_port",
    "own_database",
    "own_prefix",
    "running_instance",
    "wait_for",
]


@contextmanager
def running_instance(
    data: Path,
    database_url: str | None = None,
    redis_url: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Iterator[Instance]:
    """A ready instance while the block runs; its processes and what it made on servers are gone afterwards.

    `database_url` names a server: the instance gets a database of its own there. `redis_url` names a server: the
    instance gets keys of its own there. Several instances of several test processes can run at once.
    """
    with ExitStack() as stack:
        environ: dict[str, str] = {}
        if database_url:
            environ["DATABASE_URL"] = stack.enter_context(own_database(database_url))
        if redis_url:
            prefix = stack.enter_context(own_prefix(redis_url))
            environ |= {"REDIS_URL": redis_url, "NEOTOMA_QUEUE_PREFIX": prefix}
        yield stack.enter_context(started(data, environ | dict(env or {})))


@contextmanager
def own_database(server_url: str) -> Iterator[str]:
    """URL of a new, empty database on that server, dropped afterwards with whoever still uses it."""
    name = f"neotoma_test_{os.getpid()}_{secrets.token_hex(4)}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(server_url, autocommit=True) as admin:
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def own_prefix(redis_url: str) -> Iterator[str]:
    """A key prefix that nobody else uses on that server; its keys are removed afterwards."""
    prefix = f"neotoma-test-{os.getpid()}-{secrets.token_hex(4)}-"
    try:
        yield prefix
    finally:
        with redis.Redis.from_url(redis_url) as client:
            for key in client.scan_iter(f"{prefix}*"):
                client.delete(key)


def answers(url: str) -> int:
    """Status of a GET, 0 when nothing answers."""
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (OSError, urllib.error.URLError):
        return 0

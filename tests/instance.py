"""A whole instance for a test: `manage.py up` in a folder, on a port and, where asked, a database of its own."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis
from psycopg import sql

ROOT = Path(__file__).resolve().parent.parent
READY_SECONDS = 240.0  # a busy machine is slow and not broken
STOP_SECONDS = 60.0
# What decides where an instance lives must come from the test, not from the shell that runs it.
FOREIGN = ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE")
# Six processes that each compile everything again take longer to start than the tests take to run.
SLOW = ("PYTHONDONTWRITEBYTECODE",)


@dataclass(frozen=True, slots=True)
class Instance:
    """A running instance and how to get in."""

    base_url: str
    mcp_url: str
    operator_token: str
    reporter_token: str
    admin_user: str
    admin_password: str
    data: Path
    process: subprocess.Popen[bytes]

    def pids(self) -> dict[str, int]:
        """Process ids of the services now, by name."""
        return pids_of(self.process.pid)

    def log(self) -> str:
        """Everything that the instance has printed."""
        return (self.data / "up.log").read_text(encoding="utf-8", errors="replace")


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
        environ = {key: value for key, value in os.environ.items() if not key.startswith("NEOTOMA_")}
        for name in FOREIGN + SLOW:
            environ.pop(name, None)
        port = free_port()
        environ |= {"NEOTOMA_DATA": str(data), "NEOTOMA_PORT": str(port)}
        if database_url:
            environ["DATABASE_URL"] = stack.enter_context(own_database(database_url))
        if redis_url:
            prefix = stack.enter_context(own_prefix(redis_url))
            environ |= {"REDIS_URL": redis_url, "NEOTOMA_QUEUE_PREFIX": prefix}
        data.mkdir(parents=True, exist_ok=True)
        log = data / "up.log"
        earlier = log.stat().st_size if log.exists() else 0
        process = stack.enter_context(up(environ | dict(env or {}), log))
        yield _wait_ready(process, data, earlier)


@contextmanager
def up(environ: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`manage.py up` while the block runs; stopped by SIGTERM, by force when that takes too long."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up"], cwd=ROOT, env=environ, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()  # its children are tied to it and end too
            process.wait()


def _wait_ready(process: subprocess.Popen[bytes], data: Path, earlier: int) -> Instance:
    """The instance once it greets; raises AssertionError with its log when it ends or stalls first.

    `earlier` bytes of the log belong to earlier starts in this folder.
    """

    def log() -> str:
        return (data / "up.log").read_bytes()[earlier:].decode(errors="replace")

    def ready() -> bool:
        assert process.poll() is None, f"ended with {process.returncode}:\n{log()[-4000:]}"
        return "Ctrl-C stops everything." in log()

    wait_for(ready, READY_SECONDS, lambda: log()[-4000:])
    found = json.loads((data / "instance.json").read_text(encoding="utf-8"))
    return Instance(**found, data=data, process=process)


def wait_for(condition: Callable[[], bool], seconds: float, explain: Callable[[], str] = str) -> None:
    """Wait until the condition holds; raises AssertionError with the explanation after so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"nothing after {seconds} s: {explain()}"
        time.sleep(0.05)


def free_port() -> int:
    """A port that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def pids_of(supervisor: int) -> dict[str, int]:
    """Direct children of a supervisor, by service name. Reads /proc, so Linux only."""
    found: dict[str, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _parent(entry) == supervisor:
            name = _service_name(_command(entry))
            if name:
                found[name] = int(entry.name)
    return found


def _parent(entry: Path) -> int:
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _command(entry: Path) -> str:
    try:
        return (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _service_name(command: str) -> str:
    marks = {"redis-server": "broker", "granian": "web", " beat ": "beat"}
    marks |= {f"--hostname {name}@": name for name in ("worker", "webhooks", "runner")}
    return next((name for mark, name in marks.items() if mark in command), "")


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

"""A whole instance in a folder of its own: `manage.py up` while a block runs. Demo, benchmarks and tests use it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READY_SECONDS = 240.0  # a busy machine is slow and not broken
STOP_SECONDS = 60.0
# What decides where an instance lives must come from the caller, not from the shell that runs it.
FOREIGN = ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE")
# Six processes that each compile everything again take longer to start than to do what they are wanted for.
SLOW = ("PYTHONDONTWRITEBYTECODE",)
_CLI = "import sys; from neotoma.operations.cli import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class Instance:
    """A running instance and how to get in. `environ`: what its processes were started with."""

    base_url: str
    mcp_url: str
    operator_token: str
    reporter_token: str
    admin_user: str
    admin_password: str
    data: Path
    process: subprocess.Popen[bytes]
    environ: Mapping[str, str]

    def pids(self) -> dict[str, int]:
        """Process ids of the services now, by name."""
        return pids_of(self.process.pid)

    def log(self) -> str:
        """Everything that the instance has printed."""
        return (self.data / "up.log").read_text(encoding="utf-8", errors="replace")

    def mint(self, agent: str, *scopes: str) -> str:
        """A token for an agent, made with the command line beside the instance."""
        wanted = [part for scope in scopes for part in ("--scope", scope)]
        command = [sys.executable, "-c", _CLI, "tokens", "mint", "--json", "--agent", agent, *wanted]
        made = subprocess.run(command, cwd=ROOT, env=self.environ, stdout=subprocess.PIPE, check=True)
        return str(json.loads(made.stdout)["token"])


@contextmanager
def started(data: Path, env: Mapping[str, str]) -> Iterator[Instance]:
    """A ready instance in the folder `data` while the block runs; `env` says what is not at its default."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NEOTOMA_")}
    environ = {key: value for key, value in kept.items() if key not in FOREIGN + SLOW}
    environ |= {"NEOTOMA_DATA": str(data), "NEOTOMA_PORT": str(free_port()), **env}
    data.mkdir(parents=True, exist_ok=True)
    log = data / "up.log"
    earlier = log.stat().st_size if log.exists() else 0
    with up(environ, log) as process:
        _wait_ready(process, log, earlier)
        found = json.loads((data / "instance.json").read_text(encoding="utf-8"))
        yield Instance(**found, data=data, process=process, environ=environ)


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


def _wait_ready(process: subprocess.Popen[bytes], log: Path, earlier: int) -> None:
    """Wait until the instance greets; raises AssertionError with its log when it ends or stalls first.

    `earlier` bytes of the log belong to earlier starts in this folder.
    """

    def said() -> str:
        return log.read_bytes()[earlier:].decode(errors="replace")

    def ready() -> bool:
        if process.poll() is not None:
            raise AssertionError(f"ended with {process.returncode}:\n{said()[-4000:]}")
        return "Ctrl-C stops everything." in said()

    wait_for(ready, READY_SECONDS, lambda: said()[-4000:])


def wait_for(condition: Callable[[], bool], seconds: float, explain: Callable[[], str] = str) -> None:
    """Wait until the condition holds; raises AssertionError with the explanation after so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            raise AssertionError(f"nothing after {seconds} s: {explain()}")
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

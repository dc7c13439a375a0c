"""The web server of the product alone, with several processes, on a database that a test prepared."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neotoma.supervisor.broker import Broker
from neotoma.supervisor.services import Sizes, services
from tests.instance import ROOT, answers, free_port, wait_for

READY_S = 60.0
STOP_S = 20.0
SIZES = Sizes(web_workers=2, web_threads=4, worker_slots=2, webhook_threads=1, runner_slots=1)
NOBODY_READS = Broker("memory://localhost", (), "memory")


@contextmanager
def web(database_url: str, data: Path) -> Iterator[str]:
    """Its base URL while it runs: the command of `manage.py up`, without the rest of an instance."""
    port = free_port()
    service = next(one for one in services("127.0.0.1", port, data, SIZES, NOBODY_READS) if one.name == "web")
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    place = {"DATABASE_URL": database_url, "NEOTOMA_DATA": str(data), "NEOTOMA_PORT": str(port)}
    (data / "metrics").mkdir()
    with (data / "web.log").open("wb") as log:
        process = subprocess.Popen(
            service.command,
            cwd=ROOT,
            env={**kept, **service.environ, **place, "CELERY_BROKER_URL": NOBODY_READS.url},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: answers(f"{url}/healthz") == 200, READY_S, (data / "web.log").read_text)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
